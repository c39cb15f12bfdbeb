/** The question box: Enter sends, Shift+Enter breaks the line, composition (IME) never sends. */

import { element } from './dom.js';

/** @typedef {import('./strings.js').Strings} Strings */

export class Composer {
  #strings;
  #box;
  #send;
  #stop;

  /**
   * @param {HTMLFormElement} form
   * @param {Strings} strings
   * @param {{ask: (question: string) => boolean, stop: () => void}} actions  `ask` says whether it was taken
   */
  constructor(form, strings, actions) {
    this.#strings = strings;
    const box = element('textarea', {
      id: 'question',
      rows: 1,
      'aria-label': strings.askLabel,
      placeholder: strings.askLabel,
      enterkeyhint: 'send',
    });
    this.#box = box;
    this.#send = element('button', { type: 'submit', class: 'primary' }, strings.ask);
    this.#stop = element('button', { type: 'button', class: 'stop', hidden: true }, strings.stop);
    this.#stop.addEventListener('click', () => {
      actions.stop();
      box.focus();
    });
    form.append(box, this.#send, this.#stop);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const question = box.value.trim();
      if (question && actions.ask(question)) this.text = '';
    });
    box.addEventListener('keydown', (event) => {
      // 229 is what Safari reports for the Enter that ends a composition.
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
      event.preventDefault();
      form.requestSubmit();
    });
    box.addEventListener('input', () => this.#grow());
  }

  get text() {
    return this.#box.value;
  }

  set text(value) {
    this.#box.value = value;
    this.#grow();
  }

  focus() {
    this.#box.focus();
  }

  /** @param {boolean} running whether an answer is being written in the open conversation */
  setRunning(running) {
    if (running !== this.#stop.hidden) return;
    const hadFocus = document.activeElement === this.#stop;
    this.#stop.hidden = !running;
    this.#send.hidden = running;
    if (hadFocus) this.focus();
  }

  /** @param {boolean} usable */
  setUsable(usable) {
    this.#box.disabled = !usable;
    this.#send.disabled = !usable;
    this.#box.placeholder = usable ? this.#strings.askLabel : this.#strings.cannotAnswer;
  }

  /** As high as its text; the style sheet holds it to six lines. */
  #grow() {
    this.#box.style.height = 'auto';
    this.#box.style.height = `${this.#box.scrollHeight}px`;
  }
}
