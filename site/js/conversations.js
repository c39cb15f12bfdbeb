/** The list of conversations: open, rename, delete, search, and a new one. */

import { button, element, isPlainClick } from './dom.js';

/** @typedef {import('./strings.js').Strings} Strings */
/** @typedef {{id: string, title: string}} Conversation */

/**
 * @typedef {object} ConversationActions
 * @property {(id: string) => void} open
 * @property {() => void} startNew
 * @property {() => void} close                      puts the list away, where it lies over the page
 * @property {(id: string, title: string) => Promise<void>} rename
 * @property {(id: string) => Promise<void>} remove
 * @property {(words: string) => Promise<Set<string>>} search   ids of conversations whose text has the words
 */

export class ConversationList {
  #nav;
  #strings;
  #actions;
  /** @type {Conversation[]} */
  #conversations = [];
  /** @type {string | null} */
  #current = null;
  /** @type {Set<string> | null} */
  #found = null;
  #searches = 0;
  #search;
  #list = element('ul', { class: 'conversations' });
  #nothing = element('p', { class: 'no-conversations' });

  /**
   * @param {HTMLElement} nav
   * @param {Strings} strings
   * @param {ConversationActions} actions
   */
  constructor(nav, strings, actions) {
    this.#nav = nav;
    this.#strings = strings;
    this.#actions = actions;
    this.#search = element('input', {
      type: 'search',
      class: 'history-search',
      'aria-label': strings.searchConversations,
      placeholder: strings.searchConversations,
    });
    this.#search.addEventListener('input', () => this.#find());
    const start = button(strings.newConversation, () => actions.startNew(), { class: 'new-conversation' });
    const close = button(strings.close, () => actions.close(), { class: 'quiet history-close' });
    nav.append(close, start, this.#search, this.#list, this.#nothing);
  }

  /** @param {Conversation[]} conversations newest first */
  setConversations(conversations) {
    this.#conversations = conversations;
    if (this.#search.value.trim()) this.#find();
    else this.#draw();
  }

  /** @param {string | null} id */
  setCurrent(id) {
    this.#current = id;
    this.#draw();
  }

  async #find() {
    const words = this.#search.value.trim();
    const search = ++this.#searches;
    const found = words ? await this.#actions.search(words) : null;
    if (search !== this.#searches) return;
    this.#found = found;
    this.#draw();
  }

  #draw() {
    if (this.#list.querySelector('.rename')) return; // A name is being typed; it is drawn anew when done.
    const focused = this.#focusedPart();
    const shown = this.#conversations.filter(({ id }) => !this.#found || this.#found.has(id));
    this.#list.replaceChildren(...shown.map((conversation) => this.#row(conversation)));
    const { noConversations, noConversationFound } = this.#strings;
    this.#nothing.textContent = this.#found ? noConversationFound : noConversations;
    this.#nothing.hidden = shown.length > 0;
    this.#list.hidden = shown.length === 0;
    if (focused) this.#restoreFocus(focused);
  }

  /** @param {Conversation} conversation */
  #row({ id, title }) {
    const name = title || this.#strings.untitled;
    const link = element(
      'a',
      { href: `#${id}`, id: `conversation-${id}`, class: 'conversation', 'data-part': 'open', title: name },
      name,
    );
    if (id === this.#current) link.setAttribute('aria-current', 'true');
    link.addEventListener('click', (event) => {
      if (!isPlainClick(event)) return;
      event.preventDefault();
      this.#actions.open(id);
    });
    const about = { class: 'quiet', 'aria-describedby': link.id };
    const row = element('li', { 'data-conversation': id }, link);
    row.append(
      button(this.#strings.rename, () => this.#rename(row, id, name), { ...about, 'data-part': 'rename' }),
      button(this.#strings.delete, () => this.#actions.remove(id), { ...about, 'data-part': 'delete' }),
    );
    return row;
  }

  /** @param {HTMLElement} row @param {string} id @param {string} name */
  #rename(row, id, name) {
    const input = element('input', {
      type: 'text',
      class: 'rename',
      'aria-label': this.#strings.newName,
      maxlength: 200,
    });
    input.value = name;
    let settled = false;
    const settle = async (/** @type {boolean} */ keep, /** @type {boolean} */ refocus) => {
      if (settled) return;
      settled = true;
      const title = input.value.trim();
      row.replaceChildren();
      if (keep && title && title !== name) await this.#actions.rename(id, title);
      this.#draw();
      if (refocus) this.#restoreFocus({ id, part: 'rename' });
    };
    input.addEventListener('keydown', (event) => {
      if (event.isComposing) return;
      if (event.key === 'Enter') settle(true, true);
      if (event.key === 'Escape') {
        event.stopPropagation();
        settle(false, true);
      }
    });
    input.addEventListener('blur', () => settle(true, false));
    row.replaceChildren(input);
    input.select();
    input.focus();
  }

  #focusedPart() {
    const focused = document.activeElement;
    if (!focused || !this.#list.contains(focused)) return null;
    const id = focused.closest('li')?.dataset.conversation ?? '';
    return { id, part: focused.getAttribute('data-part') ?? 'open' };
  }

  /** @param {{id: string, part: string}} focused */
  #restoreFocus({ id, part }) {
    const row = [...this.#list.children].find(
      (li) => /** @type {HTMLElement} */ (li).dataset.conversation === id,
    );
    const target =
      row?.querySelector(`[data-part="${part}"]`) ?? this.#nav.querySelector('.new-conversation');
    /** @type {HTMLElement | null} */ (target)?.focus();
  }
}
