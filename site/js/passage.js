/**
 * The passage dialog: what a mark, a chip or a related link opens. It draws the stored passage at once, and
 * is refined by what the worker says of the page as it is now. Beside the answer on wide screens, a
 * full-height sheet over it on narrow ones.
 */

import { drawNodes, plainText } from './answer.js';
import { button, element } from './dom.js';
import { safeUrl, setAddress, withTextFragment } from './links.js';
import { passageBlocks } from './passage_text.js';
import { placeNames } from './protocol.js';

/** @typedef {import('./protocol.js').TreeNode} TreeNode */
/** @typedef {import('./strings.js').Strings} Strings */

/**
 * What is shown before the worker has answered.
 *
 * @typedef {object} StoredPassage
 * @property {string} title
 * @property {string[]} heading_path
 * @property {string} url
 * @property {string} text
 */

/**
 * What the worker says of it.
 *
 * @typedef {object} PassageReply
 * @property {'current' | 'changed' | 'missing'} state
 * @property {string} title
 * @property {string[]} heading_path
 * @property {string} url
 * @property {TreeNode[]} blocks
 * @property {TreeNode[]} before
 * @property {TreeNode[]} after
 */

const WIDE = '(min-width: 70rem)';

export class PassageDialog {
  #dialog;
  #strings;
  #wide = window.matchMedia(WIDE);
  /** @type {HTMLElement | null} */
  #opener = null;
  #opened = 0;

  /**
   * @param {HTMLDialogElement} dialog
   * @param {Strings} strings
   */
  constructor(dialog, strings) {
    this.#dialog = dialog;
    this.#strings = strings;
    dialog.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      event.stopPropagation();
      this.close();
    });
    dialog.addEventListener('cancel', (event) => {
      event.preventDefault();
      this.close();
    });
    dialog.addEventListener('click', (event) => {
      if (event.target === dialog && !this.#wide.matches) this.close();
    });
    this.#wide.addEventListener('change', () => this.#showAgain());
  }

  /**
   * @param {StoredPassage} stored
   * @param {HTMLElement} opener       gets the focus back
   * @param {Promise<PassageReply | null>} reply   null where nothing is known of it any more
   */
  async open(stored, opener, reply) {
    const opened = ++this.#opened;
    this.#opener = opener;
    const drawn = { ...stored, blocks: passageBlocks(stored.text), before: [], after: [] };
    this.#draw({ ...drawn, state: 'current' });
    this.#show();
    this.#dialog.setAttribute('data-busy', ''); // not aria-busy: what is stored may be read meanwhile
    try {
      const refined = await reply;
      if (opened === this.#opened && this.#dialog.open)
        this.#refine(refined ?? { ...drawn, state: 'missing' });
    } catch (error) {
      if (opened !== this.#opened || !this.#dialog.open) return;
      this.#note(this.#strings.passageFailed(error instanceof Error ? error.message : String(error)));
    } finally {
      if (opened === this.#opened) this.#dialog.removeAttribute('data-busy');
    }
  }

  close() {
    if (!this.#dialog.open) return;
    this.#opened++;
    this.#dialog.close();
    document.documentElement.removeAttribute('data-passage');
    if (this.#opener?.isConnected) this.#opener.focus();
    this.#opener = null;
  }

  /** Closes it without moving the focus: what it stands beside has gone. */
  dismiss() {
    this.#opener = null;
    this.close();
  }

  #show() {
    if (!this.#dialog.open) {
      if (this.#wide.matches) this.#dialog.show();
      else this.#dialog.showModal();
    }
    document.documentElement.setAttribute('data-passage', this.#wide.matches ? 'beside' : 'over');
    this.#heading?.focus();
  }

  #showAgain() {
    if (!this.#dialog.open) return;
    this.#dialog.close();
    this.#show();
  }

  get #heading() {
    return /** @type {HTMLElement | null} */ (this.#dialog.querySelector('#passage-title'));
  }

  /** Draws anew, the focus where it was. @param {PassageReply} passage */
  #refine(passage) {
    const focused = document.activeElement;
    const name = focused && this.#dialog.contains(focused) ? focused.getAttribute('data-part') : null;
    this.#draw(passage);
    if (name)
      /** @type {HTMLElement | null} */ (this.#dialog.querySelector(`[data-part="${name}"]`))?.focus();
    this.#dialog.querySelector('.passage-itself mark, .passage-itself')?.scrollIntoView({ block: 'center' });
  }

  /** @param {PassageReply} passage */
  #draw(passage) {
    const [title = '', ...headings] = placeNames(passage);
    const heading = element('h2', { id: 'passage-title', tabindex: -1, 'data-part': 'title' }, title);
    const crumbs = headings.map((name) => element('li', {}, name));
    const close = button(this.#strings.close, () => this.close(), { class: 'quiet', 'data-part': 'close' });
    const header = element('header', {}, heading, close);
    if (crumbs.length > 0) header.append(element('ol', { class: 'breadcrumb' }, ...crumbs));
    const itself = element('div', { class: 'passage-itself' }, ...this.#nodes(passage.blocks));
    const body = element(
      'div',
      {
        class: 'passage-body',
        tabindex: 0,
        role: 'region',
        'aria-labelledby': 'passage-title',
        'data-part': 'body',
      },
      element('div', { class: 'passage-around' }, ...this.#nodes(passage.before)),
      itself,
      element('div', { class: 'passage-around' }, ...this.#nodes(passage.after)),
    );
    this.#dialog.replaceChildren(header, element('p', { class: 'passage-note', hidden: true }), body);
    const url = safeUrl(passage.url);
    if (url && passage.state !== 'missing')
      this.#dialog.append(element('footer', {}, this.#openPage(url, passage, itself)));
    if (passage.state === 'changed') this.#note(this.#strings.passageChanged);
    if (passage.state === 'missing') this.#note(this.#strings.passageMissing);
  }

  /** @param {URL} url @param {PassageReply} passage @param {HTMLElement} drawn */
  #openPage(url, passage, drawn) {
    const marked = drawn.querySelector('mark')?.textContent;
    const firstProse = passage.blocks.find((block) => block.type === 'paragraph');
    const words = marked ?? plainText(firstProse?.children);
    const link = element('a', { class: 'open-page', 'data-part': 'page' }, this.#strings.openPage);
    return setAddress(link, withTextFragment(url, words));
  }

  /** @param {string} sentence */
  #note(sentence) {
    const note = this.#dialog.querySelector('.passage-note');
    note?.replaceChildren(sentence);
    note?.removeAttribute('hidden');
  }

  /** @param {TreeNode[]} nodes */
  #nodes(nodes) {
    const cite = (/** @type {number} */ n) => element('span', {}, `[${n}]`);
    return drawNodes(nodes, { strings: this.#strings, cite, lastHeading: 2 });
  }
}
