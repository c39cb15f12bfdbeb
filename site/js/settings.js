/** The settings dialog: the endpoint and its key, a look at what will be sent, and the reader's own data. */

import { button, element } from './dom.js';
import { finalAddress, hostOf } from './endpoint.js';
import { drawReaderData } from './reader_data.js';

/** @typedef {import('./strings.js').Strings} Strings */
/** @typedef {import('./endpoint.js').Endpoint} Endpoint */

/**
 * @typedef {import('./reader_data.js').ReaderDataActions & EndpointActions} SettingsActions
 *
 * @typedef {object} EndpointActions
 * @property {(endpoint: Endpoint) => Promise<{ok: boolean, message: string, next: string, url: string}>} test
 * @property {(question: string, endpoint: Endpoint) => Promise<{host: string, tokens: number, messages: unknown[]} | null>} preview
 *   null where nothing would be sent
 * @property {() => string} question                       what stands in the question box
 * @property {() => void} changed
 */

export class SettingsDialog {
  #dialog;
  #strings;
  #choice;
  #actions;
  #baseUrl = element('input', {
    id: 'base-url',
    type: 'url',
    inputmode: 'url',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  #model = element('input', { id: 'model', type: 'text', autocomplete: 'off', spellcheck: 'false' });
  #key = element('input', { id: 'api-key', type: 'password', autocomplete: 'off' });
  #remember = element('input', { id: 'remember', type: 'checkbox' });
  #addressNote = element('p', { class: 'field-note', id: 'base-url-note' });
  #keyNote = element('p', { class: 'field-note', id: 'api-key-note' });
  #forget;
  #result = element('p', { class: 'result', role: 'status' });
  #preview = element('div', { class: 'preview' });

  /**
   * @param {HTMLDialogElement} dialog
   * @param {Strings} strings
   * @param {import('./endpoint.js').EndpointChoice} choice
   * @param {SettingsActions} actions
   */
  constructor(dialog, strings, choice, actions) {
    this.#dialog = dialog;
    this.#strings = strings;
    this.#choice = choice;
    this.#actions = actions;
    this.#forget = button(strings.forgetKey, () => this.#forgetKey(), { class: 'quiet' });
    const heading = element('h2', { id: 'settings-title' }, strings.settings);
    const close = button(strings.close, () => dialog.close(), { class: 'quiet' });
    dialog.append(
      element('header', {}, heading, close),
      element(
        'div',
        { class: 'settings-body' },
        this.#endpointForm(),
        this.#previewPart(),
        drawReaderData(strings, actions),
      ),
    );
    this.#baseUrl.addEventListener('input', () => this.#describe());
  }

  open() {
    this.#baseUrl.value = this.#choice.baseUrl;
    this.#model.value = this.#choice.model;
    this.#key.value = '';
    this.#remember.checked = this.#choice.isRemembered(this.#choice.baseUrl);
    this.#result.textContent = '';
    this.#preview.replaceChildren();
    this.#describe();
    if (!this.#dialog.open) this.#dialog.showModal();
  }

  #endpointForm() {
    const s = this.#strings;
    const form = element(
      'form',
      { class: 'endpoint' },
      element('h3', {}, s.endpointHeading),
      element('p', { class: 'explanation' }, s.endpointIntro),
      field(s.baseUrl, this.#baseUrl, this.#addressNote),
      field(s.model, this.#model),
      field(s.apiKey, this.#key, this.#keyNote),
      this.#forget,
      element(
        'div',
        { class: 'field check' },
        this.#remember,
        element('label', { for: 'remember' }, s.remember),
        element('p', { class: 'field-note', id: 'remember-note' }, s.rememberHelp),
      ),
      element(
        'div',
        { class: 'ways' },
        element('button', { type: 'submit', class: 'primary' }, s.save),
        button(s.testConnection, () => this.#test()),
      ),
      this.#result,
    );
    form.noValidate = true;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#save();
    });
    return form;
  }

  #previewPart() {
    const show = button(this.#strings.previewShow, () => this.#showPreview());
    return element(
      'section',
      { class: 'preview-part' },
      element('h3', {}, this.#strings.previewHeading),
      show,
      this.#preview,
    );
  }

  /** What is typed, not yet saved. A key that was kept is used only for the origin it was typed for. */
  get #typed() {
    const base_url = this.#baseUrl.value.trim();
    const key = this.#key.value.trim();
    return { base_url, model: this.#model.value.trim(), key: key || this.#choice.keyFor(base_url) };
  }

  /** Says what the address means while it is being typed. */
  #describe() {
    const s = this.#strings;
    const address = this.#baseUrl.value.trim();
    const fault = this.#choice.faultOf(address);
    const host = hostOf(address);
    const notes = [];
    if (fault === 'bad') notes.push(s.badAddress(address));
    else if (fault === 'other') notes.push(s.otherAddress(this.#choice.fixedHost));
    else if (address) notes.push(s.finalAddress(finalAddress(address)));
    if (fault === 'plain') notes.push(s.plainHttp(host));
    this.#addressNote.textContent = notes.join(' ');
    this.#baseUrl.setAttribute('aria-invalid', String(!isUsable(fault)));
    const held = this.#choice.keyFor(address) !== '';
    this.#forget.hidden = !held;
    if (!host) this.#keyNote.textContent = s.keyNeedsAddress;
    else this.#keyNote.textContent = held ? s.keyHeld(host) : s.keyOnlyFor(host);
  }

  async #save() {
    if (!isUsable(this.#choice.faultOf(this.#baseUrl.value.trim()))) {
      this.#baseUrl.focus();
      return;
    }
    const typed = { ...this.#typed, key: this.#key.value.trim(), remember: this.#remember.checked };
    // At once: the choice holds from here on, stored or not, and the state line under the box tells it.
    this.#dialog.close();
    const stored = this.#choice.choose(typed);
    this.#key.value = '';
    this.#describe();
    this.#actions.changed();
    try {
      await stored;
    } catch (error) {
      this.open();
      this.#say(this.#strings.notSavedSetting(error instanceof Error ? error.message : String(error)), false);
    }
  }

  async #forgetKey() {
    await this.#choice.forgetKey(this.#baseUrl.value.trim());
    this.#remember.checked = false;
    this.#describe();
    this.#key.focus();
  }

  async #test() {
    const typed = this.#typed;
    const fault = this.#choice.faultOf(typed.base_url);
    if (typed.base_url === '' || !isUsable(fault)) {
      const { badAddress, otherAddress } = this.#strings;
      const { fixedHost } = this.#choice;
      this.#say(fault === 'other' ? otherAddress(fixedHost) : badAddress(typed.base_url), false);
      this.#baseUrl.focus();
      return;
    }
    this.#say(this.#strings.testing, true);
    try {
      const { ok, message, next } = await this.#actions.test(typed);
      this.#say([message, next].filter(Boolean).join(' '), ok);
    } catch (error) {
      this.#say(String(error instanceof Error ? error.message : error), false);
    }
  }

  async #showPreview() {
    const s = this.#strings;
    const typed = this.#typed;
    if (typed.base_url === '' || !isUsable(this.#choice.faultOf(typed.base_url))) {
      this.#preview.replaceChildren(element('p', {}, s.previewNothing));
      return;
    }
    try {
      const shown = await this.#actions.preview(this.#actions.question(), typed);
      if (!shown) {
        this.#preview.replaceChildren(element('p', {}, s.previewNothing));
        return;
      }
      const { host, tokens, messages } = shown;
      const text = JSON.stringify(messages, null, 2);
      this.#preview.replaceChildren(
        element('p', {}, s.previewSummary(host, tokens, messages.length)),
        element('pre', { tabindex: 0, 'aria-label': s.previewHeading, role: 'region' }, text),
      );
    } catch (error) {
      this.#preview.replaceChildren(element('p', {}, String(error instanceof Error ? error.message : error)));
    }
  }

  /** @param {string} sentence @param {boolean} good */
  #say(sentence, good) {
    this.#result.textContent = sentence;
    this.#result.classList.toggle('bad', !good);
  }
}

/** @param {ReturnType<import('./endpoint.js').EndpointChoice['faultOf']>} fault */
const isUsable = (fault) => fault === null || fault === 'plain';

/**
 * @param {string} name
 * @param {HTMLInputElement} input
 * @param {HTMLElement} [note]
 */
function field(name, input, note) {
  const label = element('label', { for: input.id }, name);
  if (note) input.setAttribute('aria-describedby', note.id);
  return element('div', { class: 'field' }, label, input, ...(note ? [note] : []));
}
