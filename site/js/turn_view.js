/** One turn on the page: `article.turn` with the structure that SPEC 8 promises, drawn from its record. */

import { drawNode } from './answer.js';
import { button, element } from './dom.js';
import { drawChips, drawRelated, linkMarksAndChips, markButton, refreshMarks } from './footnotes.js';
import { drawSteps } from './steps.js';

/** @typedef {import('./protocol.js').TurnRecord} TurnRecord */
/** @typedef {import('./protocol.js').Failure} Failure */
/** @typedef {import('./strings.js').Strings} Strings */

/**
 * What the reader can do in a turn. The handlers get the turn's current record.
 *
 * @typedef {object} TurnActions
 * @property {(record: TurnRecord, n: number, occurrence: number | null, opener: HTMLElement) => void} openSource
 * @property {(record: TurnRecord, related: import('./protocol.js').Related, opener: HTMLElement) => void} openRelated
 * @property {(record: TurnRecord) => void} retry
 * @property {(record: TurnRecord) => void} passages
 * @property {(record: TurnRecord) => void} regenerate
 * @property {(record: TurnRecord) => Promise<boolean>} copy
 * @property {(record: TurnRecord, active: number) => void} switchVersion
 */

export class TurnView {
  #strings;
  #actions;
  #record;
  #last = false;
  #question = element('h2', { class: 'question' });
  #steps = element('div', { class: 'steps-slot' });
  #answer = element('div', { class: 'answer' });
  #notes = element('div', { class: 'turn-notes' });
  #footnotes = element('div', { class: 'footnotes' });
  #failure = element('div', { class: 'failure-slot' });
  #tools = element('div', { class: 'turn-tools' });

  /**
   * @param {TurnRecord} record
   * @param {Strings} strings
   * @param {TurnActions} actions
   */
  constructor(record, strings, actions) {
    this.#strings = strings;
    this.#actions = actions;
    this.#record = record;
    this.element = element(
      'article',
      { class: 'turn', 'aria-labelledby': '', 'aria-busy': 'false' },
      this.#question,
      this.#steps,
      this.#answer,
      this.#notes,
      this.#failure,
      this.#footnotes,
      this.#tools,
    );
    linkMarksAndChips(this.element);
    this.#draw(null);
  }

  get record() {
    return this.#record;
  }

  /**
   * Draws what differs between the record on screen and this one.
   *
   * @param {TurnRecord} record
   */
  update(record) {
    const before = this.#record;
    this.#record = record;
    this.#draw(before);
  }

  /**
   * Only the last turn of a conversation can be regenerated, copied in one go, or switched.
   *
   * @param {boolean} last
   */
  setLast(last) {
    if (last === this.#last) return;
    this.#last = last;
    this.#drawTools();
  }

  /** @param {TurnRecord | null} before */
  #draw(before) {
    const record = this.#record;
    this.#question.id = `question-${record.id}`;
    this.element.setAttribute('aria-labelledby', this.#question.id);
    this.element.dataset.turn = record.id;
    this.element.dataset.status = record.status;
    if (record.mode) this.element.dataset.mode = record.mode;
    else delete this.element.dataset.mode;
    this.element.setAttribute('aria-busy', String(isRunning(record)));
    if (before?.question !== record.question) this.#question.textContent = record.question;
    if (before?.steps !== record.steps)
      this.#steps.replaceChildren(...drawSteps(record.steps, this.#strings));
    const sourcesChanged = before?.sources !== record.sources;
    this.#patchAnswer(before?.blocks ?? []);
    if (sourcesChanged && before) refreshMarks(this.#answer, record.sources, this.#strings);
    if (sourcesChanged || before?.chips !== record.chips || before?.related !== record.related) {
      this.#drawFootnotes();
    }
    this.#drawNotes();
    if (before?.error !== record.error) this.#failure.replaceChildren(...this.#drawFailure());
    if (!before || before.status !== record.status || before.versions !== record.versions) this.#drawTools();
  }

  /** Keeps the blocks that are the same, by identity, and draws anew from the first that is not. */
  #patchAnswer(/** @type {TurnRecord['blocks']} */ before) {
    const { blocks } = this.#record;
    let from = 0;
    while (from < blocks.length && from < before.length && blocks[from] === before[from]) from++;
    while (this.#answer.childNodes.length > from) this.#answer.lastChild?.remove();
    const heading = [...this.#answer.querySelectorAll('h3, h4, h5, h6')].at(-1);
    const drawing = {
      strings: this.#strings,
      lastHeading: heading ? Number(heading.tagName.slice(1)) : 2,
      cite: (/** @type {number} */ n) => markButton(n, this.#record.sources, this.#strings, this.#openMark),
    };
    for (const block of blocks.slice(from)) this.#answer.append(drawNode(block, drawing));
  }

  #openMark = (/** @type {number} */ n, /** @type {HTMLButtonElement} */ mark) => {
    const same = [...this.#answer.querySelectorAll(`button.cite[data-n="${n}"]`)];
    this.#actions.openSource(this.#record, n, same.indexOf(mark), mark);
  };

  #drawFootnotes() {
    const { chips, related } = this.#record;
    const parts = [];
    if (chips.length > 0) {
      parts.push(
        drawChips(chips, this.#strings, (chip, opener) =>
          this.#actions.openSource(this.#record, chip.opens, null, opener),
        ),
      );
    }
    if (related.length > 0) {
      parts.push(
        drawRelated(related, this.#strings, (page, opener) =>
          this.#actions.openRelated(this.#record, page, opener),
        ),
      );
    }
    this.#footnotes.replaceChildren(...parts);
  }

  #drawNotes() {
    const { status, label, blocks } = this.#record;
    const notes = [];
    if (isRunning(this.#record) && blocks.length === 0) {
      const waits = this.#record.id === '' && document.documentElement.dataset.ibid === 'loading';
      const sentence = waits ? this.#strings.waitingForPython : this.#strings.searching;
      notes.push(element('p', { class: 'waiting' }, sentence));
    }
    if (status === 'stopped') notes.push(element('p', { class: 'stopped' }, this.#strings.stoppedNote));
    if (label && !isRunning(this.#record)) notes.push(element('p', { class: 'no-sources' }, label));
    this.#notes.replaceChildren(...notes);
  }

  #drawFailure() {
    const { error } = this.#record;
    if (!error) return [];
    const { retry, passages } = this.#actions;
    return [
      drawError(
        error,
        button(this.#strings.retry, () => retry(this.#record)),
        button(this.#strings.showPassages, () => passages(this.#record)),
      ),
    ];
  }

  #drawTools() {
    const record = this.#record;
    const answered = !isRunning(record) && record.status !== 'failed' && record.blocks.length > 0;
    if (!this.#last || !answered) {
      this.#tools.replaceChildren();
      return;
    }
    const copy = button(this.#strings.copy, async () => {
      if (await this.#actions.copy(this.#record)) copy.textContent = this.#strings.copied;
    });
    const tools = [button(this.#strings.regenerate, () => this.#actions.regenerate(this.#record)), copy];
    for (const tool of tools) tool.className = 'quiet';
    this.#tools.replaceChildren(...tools, ...this.#versionSwitch());
  }

  #versionSwitch() {
    const { active, versions } = this.#record;
    if (versions.length < 2) return [];
    const go = (/** @type {string} */ sign, /** @type {string} */ name, /** @type {number} */ to) => {
      const made = button(sign, () => this.#actions.switchVersion(this.#record, to), {
        class: 'quiet',
        'aria-label': name,
        disabled: to < 0 || to >= versions.length,
      });
      return made;
    };
    return [
      element(
        'span',
        { class: 'versions' },
        go('‹', this.#strings.previousVersion, active - 1),
        this.#strings.versionOf(active + 1, versions.length),
        go('›', this.#strings.nextVersion, active + 1),
      ),
    ];
  }
}

/** @param {TurnRecord} record */
export function isRunning(record) {
  return record.status === 'pending' || record.status === 'streaming';
}

/**
 * An error with what the reader can do about it.
 *
 * @param {Failure} failure
 * @param {...HTMLButtonElement} ways
 * @returns {HTMLElement}
 */
export function drawError(failure, ...ways) {
  return element(
    'div',
    { class: 'turn-error', 'data-code': failure.code },
    element('p', { class: 'error-message' }, failure.message),
    element('p', { class: 'error-next' }, failure.next),
    element('div', { class: 'error-ways' }, ...ways),
  );
}
