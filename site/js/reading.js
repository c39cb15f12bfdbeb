/** The reading column: the turns of the open conversation, or the empty state. */

import { button, element } from './dom.js';
import { readRecord } from './protocol.js';
import { TurnView } from './turn_view.js';

/** @typedef {import('./protocol.js').TurnRecord} TurnRecord */
/** @typedef {import('./strings.js').Strings} Strings */

export class Reading {
  #place;
  #empty;
  #strings;
  #actions;
  /** @type {TurnView[]} */
  #views = [];

  /**
   * @param {{turns: HTMLElement, empty: HTMLElement}} places
   * @param {Strings} strings
   * @param {import('./turn_view.js').TurnActions} actions
   */
  constructor({ turns, empty }, strings, actions) {
    this.#place = turns;
    this.#empty = empty;
    this.#strings = strings;
    this.#actions = actions;
  }

  /** The records on screen, in order. */
  get records() {
    return this.#views.map((view) => view.record);
  }

  /**
   * Draws a conversation from its stored records; turns that are on screen already are kept.
   *
   * @param {any[]} stored
   */
  show(stored) {
    const kept = new Map(this.#views.map((view) => [view.record.id, view]));
    this.#views = [];
    const parts = stored.map((raw) => {
      const record = readRecord(raw);
      if (!record) return element('p', { class: 'unknown-version' }, this.#strings.unknownVersion);
      const view = kept.get(record.id) ?? new TurnView(record, this.#strings, this.#actions);
      if (kept.has(record.id) && !sameRecord(view.record, record)) view.update(record);
      this.#views.push(view);
      return view.element;
    });
    this.#place.replaceChildren(...parts);
    this.#settle();
  }

  /**
   * Draws one record: in the place of the same turn, of the one that had no id yet, or as the last.
   *
   * @param {TurnRecord} record
   */
  put(record) {
    const view =
      this.#views.find((candidate) => candidate.record.id === record.id) ??
      this.#views.find((candidate) => candidate.record.id === '');
    if (view) {
      view.update(record);
      return;
    }
    const made = new TurnView(record, this.#strings, this.#actions);
    this.#views.push(made);
    this.#place.append(made.element);
    this.#settle();
    if (record.id === '') made.element.scrollIntoView({ block: 'start' });
  }

  /** Takes away the question that was not accepted. */
  dropPending() {
    const at = this.#views.findIndex((view) => view.record.id === '');
    if (at < 0) return;
    this.#views[at]?.element.remove();
    this.#views.splice(at, 1);
    this.#settle();
  }

  /** Shows the last question, at the top of the column. */
  scrollToLast() {
    this.#views.at(-1)?.element.scrollIntoView({ block: 'start' });
  }

  /**
   * @param {string} title
   * @param {string[]} starters
   * @param {(question: string) => void} ask
   */
  describe(title, starters, ask) {
    const questions = starters.slice(0, 4).map((question) =>
      element(
        'li',
        {},
        button(question, () => ask(question)),
      ),
    );
    this.#empty.replaceChildren(
      element('h2', { class: 'empty-title' }, title),
      element('p', {}, this.#strings.intro),
      ...(questions.length > 0
        ? [element('ul', { class: 'starters', 'aria-label': this.#strings.starters }, ...questions)]
        : []),
    );
  }

  #settle() {
    const last = this.#views.length - 1;
    for (const [at, view] of this.#views.entries()) view.setLast(at === last);
    this.#empty.hidden = this.#place.childElementCount > 0;
  }
}

/** @param {TurnRecord} a @param {TurnRecord} b */
function sameRecord(a, b) {
  return JSON.stringify(a) === JSON.stringify(b);
}
