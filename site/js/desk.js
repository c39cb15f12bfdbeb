/** The desk: which conversation is open, and everything the reader does with it. */

import { Answering } from './answering.js';
import { copyText } from './clipboard.js';
import { answerMarkdown } from './export.js';
import { Reading } from './reading.js';
import { drawError, isRunning } from './turn_view.js';

/** @typedef {import('./protocol.js').TurnRecord} TurnRecord */
/** @typedef {import('./protocol.js').Failure} Failure */
/** @typedef {import('./strings.js').Strings} Strings */

/**
 * The parts of the page that the desk moves.
 *
 * @typedef {object} Parts
 * @property {import('./store.js').Store} store
 * @property {import('./bridge.js').Bridge} bridge
 * @property {import('./endpoint.js').EndpointChoice} choice
 * @property {{turns: HTMLElement, empty: HTMLElement}} places
 * @property {import('./conversations.js').ConversationList} list
 * @property {import('./composer.js').Composer} composer
 * @property {import('./passage.js').PassageDialog} passage
 * @property {HTMLElement} notices
 * @property {HTMLElement} announcer
 * @property {Strings} strings
 * @property {(conversation: string | null) => void} moved       the open conversation is another one
 */

export class Desk {
  #parts;
  #answering;
  #reading;
  /** @type {string | null} */
  #current = null;
  #isNew = true;

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    this.#reading = new Reading(parts.places, parts.strings, this.#turnActions());
    this.#answering = new Answering(
      parts.bridge,
      {
        turns: (conversation) => parts.store.turns(conversation),
        endpoint: () => parts.choice.endpoint,
        online: () => navigator.onLine,
        changed: (record) => this.#changed(record),
        started: () => this.#started(),
        ended: (record) => this.#ended(record),
        withdrawn: (...withdrawal) => this.#withdrawn(...withdrawal),
      },
      parts.strings,
    );
  }

  get current() {
    return this.#current;
  }

  get reading() {
    return this.#reading;
  }

  /** A frame from the worker. @param {import('./protocol.js').Frame} frame */
  take(frame) {
    this.#answering.take(frame);
  }

  /** @param {string | null} conversation null, or one that is not stored: the empty state */
  async open(conversation) {
    const { store, list, passage } = this.#parts;
    const reading = this.#reading;
    const stored = conversation ? await store.turns(conversation) : [];
    const running = conversation ? this.#answering.running(conversation) : null;
    const exists = stored.length > 0 || running !== null;
    this.#current = exists ? conversation : null;
    this.#isNew = !exists;
    passage.dismiss();
    this.#notice(null);
    reading.show([]);
    this.#redraw(stored);
    reading.scrollToLast();
    list.setCurrent(this.#current);
    this.#showRunning();
    this.#parts.moved(this.#current);
  }

  /**
   * The reader's question.
   *
   * @param {string} question
   * @returns {boolean} whether it was taken
   */
  ask(question) {
    const { strings } = this.#parts;
    if (this.#answering.isRunning(this.#current)) {
      this.#notice(strings.answerRunning);
      return false;
    }
    const isNew = this.#isNew;
    const conversation = this.#current ?? newId();
    this.#current = conversation;
    this.#isNew = false;
    this.#notice(null);
    this.#answering.ask(conversation, question, { isNew });
    if (isNew) {
      this.#parts.list.setCurrent(conversation);
      this.#parts.moved(conversation);
    }
    return true;
  }

  stop() {
    if (this.#current) this.#answering.stop(this.#current);
  }

  /** What the reader can do in a turn. @returns {import('./turn_view.js').TurnActions} */
  #turnActions() {
    const { bridge, passage, strings } = this.#parts;
    return {
      openSource: (record, n, occurrence, opener) => {
        const source = record.sources.find((candidate) => candidate.n === n);
        if (!source) return;
        const { conversation, id } = record;
        passage.open(source, opener, bridge.call('passage', { conversation, turn: id, n, occurrence }));
      },
      openRelated: (_record, page, opener) => {
        passage.open(page, opener, bridge.call('passage', { chunk: page.chunk, occurrence: null }));
      },
      retry: (record) => this.#again('retry', record),
      passages: (record) => this.#again('passages', record),
      regenerate: (record) => this.#again('regenerate', record),
      copy: (record) => copyText(answerMarkdown(record, strings)),
      switchVersion: async (record, active) => {
        await bridge.call('switch_version', { conversation: record.conversation, turn: record.id, active });
        await this.refresh();
      },
    };
  }

  /** Draws what is stored now: this tab or another one has changed it. */
  async refresh() {
    const { store, list } = this.#parts;
    list.setConversations(await store.conversations());
    const conversation = this.#current;
    if (!conversation) return;
    const stored = await store.turns(conversation);
    if (conversation !== this.#current) return;
    if (stored.length === 0 && !this.#answering.isRunning(conversation)) await this.open(null);
    else this.#redraw(stored);
  }

  /**
   * Another tab, or the worker, has written something.
   *
   * @param {import('./store.js').Change | null} change
   */
  async hear(change) {
    if (change?.op === 'setting') return;
    const own = change?.op === 'turn' && this.#answering.isRunning(change.record.conversation);
    if (own) this.#parts.list.setConversations(await this.#parts.store.conversations());
    else await this.refresh();
  }

  /** @param {string} conversation */
  async remove(conversation) {
    await this.#answering.stop(conversation);
    await this.#parts.store.deleteConversation(conversation);
    if (conversation === this.#current) await this.open(null);
    await this.refresh();
  }

  async removeAll() {
    await this.#parts.store.deleteAll();
    await this.open(null);
    await this.refresh();
  }

  /** @param {Failure | null} failure */
  #notice(failure) {
    this.#parts.notices.replaceChildren(...(failure ? [drawError(failure)] : []));
  }

  /**
   * Answers a question again: in its place if it is the last one, else as a new turn.
   *
   * @param {'retry' | 'passages' | 'regenerate'} how
   * @param {TurnRecord} record
   */
  #again(how, record) {
    const { conversation, id, question } = record;
    const isLast = this.#reading.records.at(-1)?.id === id;
    if (this.#answering.isRunning(conversation)) this.#notice(this.#parts.strings.answerRunning);
    else if (isLast) this.#answering.again(how, record);
    else this.#answering.ask(conversation, question, { fromPassages: how === 'passages' });
  }

  /** The stored records, and in their place the one that is being written here. @param {any[]} stored */
  #redraw(stored) {
    const running = this.#current ? this.#answering.running(this.#current) : null;
    this.#reading.show(running ? stored.filter(({ id }) => id !== running.id) : stored);
    if (running) this.#reading.put(running);
  }

  /** @param {TurnRecord} record */
  #changed(record) {
    if (record.conversation === this.#current) this.#reading.put(record);
  }

  #started() {
    this.#parts.announcer.textContent = this.#parts.strings.answering;
    this.#showRunning();
  }

  /** @param {TurnRecord} record */
  #ended(record) {
    const { announcer, strings } = this.#parts;
    if (record.status === 'failed') announcer.textContent = record.error?.message ?? '';
    else if (record.status === 'stopped') announcer.textContent = strings.answerStopped;
    else if (!isRunning(record)) announcer.textContent = strings.answerReady(record.chips.length);
    this.#showRunning();
  }

  /** @param {string} conversation @param {string} question @param {Failure | null} failure */
  #withdrawn(conversation, question, failure) {
    if (conversation !== this.#current) return;
    const { composer } = this.#parts;
    this.#reading.dropPending();
    if (this.#reading.records.length === 0) this.#isNew = true;
    if (!composer.text) composer.text = question;
    this.#notice(failure);
  }

  #showRunning() {
    this.#parts.composer.setRunning(this.#answering.isRunning(this.#current));
  }
}

/** 128 random bits; `crypto.randomUUID` is missing on plain http addresses. */
function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `c-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
