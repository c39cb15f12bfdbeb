/**
 * The answers being written in this tab, one a conversation: takes a question, waits for Python, applies the
 * frames, and ends with the record as it was stored.
 */

import { applyFrame, failed, isTerminal, keepingParts, pendingTurn, readRecord } from './protocol.js';

/** @typedef {import('./protocol.js').Failure} Failure */
/** @typedef {import('./protocol.js').Frame} Frame */
/** @typedef {import('./protocol.js').TurnRecord} TurnRecord */
/** @typedef {import('./endpoint.js').Endpoint} Endpoint */

/**
 * @typedef {object} Engine
 * @property {Promise<unknown>} ready
 * @property {(name: string, payload: object) => Promise<any>} call
 *
 * @typedef {object} AnsweringHost
 * @property {(conversation: string) => Promise<any[]>} turns        stored records
 * @property {() => Endpoint | null} endpoint
 * @property {() => boolean} online
 * @property {(record: TurnRecord) => void} changed                  draw it
 * @property {(record: TurnRecord) => void} started
 * @property {(record: TurnRecord) => void} ended
 * @property {(conversation: string, question: string, failure: Failure | null) => void} withdrawn
 *   the question was not taken: nothing of it is stored, and the reader gets it back
 *
 * @typedef {object} Run
 * @property {TurnRecord} record
 * @property {TurnRecord | null} before    what stood there, where an answer is replaced
 * @property {boolean} accepted            the worker has the question
 * @property {boolean} ended
 * @property {boolean} cancelled
 * @property {boolean} refused             the worker has not begun it
 */

/** The `seq` of a turn that is refused: begun ones count from 1. */
const REFUSED = 0;

export class Answering {
  #engine;
  #host;
  #strings;
  /** @type {Map<string, Run>} */
  #runs = new Map();
  /** The last call of each conversation; the next one waits for it. @type {Map<string, Promise<void>>} */
  #calls = new Map();

  /**
   * @param {Engine} engine
   * @param {AnsweringHost} host
   * @param {import('./strings.js').Strings} strings
   */
  constructor(engine, host, strings) {
    this.#engine = engine;
    this.#host = host;
    this.#strings = strings;
  }

  /** @param {string | null} conversation */
  isRunning(conversation) {
    return conversation !== null && this.#runs.has(conversation);
  }

  /**
   * The record of the answer being written there, if there is one.
   *
   * @param {string} conversation
   */
  running(conversation) {
    return this.#runs.get(conversation)?.record ?? null;
  }

  /**
   * @param {string} conversation
   * @param {string} question
   * @param {{isNew?: boolean, fromPassages?: boolean}} [how]   `fromPassages`: without the endpoint
   */
  ask(conversation, question, { isNew = false, fromPassages = false } = {}) {
    const payload = { conversation, question, new: isNew, ...this.#way() };
    if (fromPassages) payload.endpoint = null;
    this.#run('ask', payload, pendingTurn(conversation, question), null);
  }

  /**
   * Answers a stored question again, in place.
   *
   * @param {'retry' | 'regenerate' | 'passages'} how
   * @param {TurnRecord} record
   */
  again(how, record) {
    const { conversation, id, question } = record;
    const pending = {
      ...pendingTurn(conversation, question),
      id,
      seq: record.seq,
      versions: record.versions,
    };
    this.#run(how, { conversation, turn: id, ...this.#way() }, pending, record);
  }

  /** @param {string} conversation */
  async stop(conversation) {
    const run = this.#runs.get(conversation);
    if (!run) return;
    if (run.accepted) {
      await this.#engine.call('stop', { conversation });
      return;
    }
    run.cancelled = true;
    this.#withdraw(run, null);
  }

  /** What the worker says. @param {Frame} frame */
  take(frame) {
    const run = this.#runs.get(frame.conversation);
    if (!run || run.ended) return;
    if (frame.type === 'turn' && frame.seq === REFUSED) run.refused = true;
    if (run.refused) {
      if (frame.type === 'error') this.#withdraw(run, frame);
      return;
    }
    run.record = applyFrame(run.record, frame);
    this.#host.changed(run.record);
    if (isTerminal(frame)) this.#end(run, frame);
  }

  #way() {
    return { endpoint: this.#host.endpoint(), offline: !this.#host.online() };
  }

  /**
   * @param {string} name
   * @param {{conversation: string, [field: string]: unknown}} payload
   * @param {TurnRecord} record
   * @param {TurnRecord | null} before
   */
  #run(name, payload, record, before) {
    const { conversation } = payload;
    const run = { record, before, accepted: false, ended: false, cancelled: false, refused: false };
    this.#runs.set(conversation, run);
    this.#host.changed(record);
    this.#host.started(record);
    const earlier = this.#calls.get(conversation) ?? Promise.resolve();
    this.#calls.set(
      conversation,
      earlier.then(() => this.#call(name, payload, run)),
    );
  }

  /** @param {string} name @param {object} payload @param {Run} run */
  async #call(name, payload, run) {
    try {
      await this.#engine.ready;
    } catch (error) {
      if (!run.cancelled) this.#withdraw(run, this.#strings.notStarted(messageOf(error)));
      return;
    }
    if (run.cancelled) return;
    run.accepted = true;
    try {
      const reply = await this.#engine.call(name, payload);
      if (run.ended) return;
      if (reply.error) this.#withdraw(run, reply.error);
      else this.#fail(run, this.#strings.noLastFrame);
    } catch (error) {
      if (!run.ended) this.#fail(run, messageOf(error));
    }
  }

  /** @param {Run} run @param {string} reason */
  #fail(run, reason) {
    run.record = failed(run.record, this.#strings.engineStopped(reason));
    this.#host.changed(run.record);
    this.#finish(run);
  }

  /** @param {Run} run @param {Failure | null} failure */
  #withdraw(run, failure) {
    const { conversation, question } = run.record;
    run.ended = true;
    this.#runs.delete(conversation);
    if (run.before) this.#host.changed(failure ? { ...run.before, error: failure } : run.before);
    else this.#host.withdrawn(conversation, question, failure);
    this.#host.ended(run.record);
  }

  /** The turn was stored before its last frame: what is on screen from here on is what was stored. */
  async #end(
    /** @type {Run} */ run,
    /** @type {import('./protocol.js').DoneFrame | import('./protocol.js').ErrorFrame} */ frame,
  ) {
    this.#finish(run);
    if (frame.type === 'error' && frame.stored === false) return;
    const { conversation, id } = run.record;
    const turns = await this.#host.turns(conversation).catch(() => []);
    const found = turns.find((turn) => turn.id === id);
    const stored = found && readRecord(found);
    if (!stored || this.#runs.has(conversation)) return;
    const failure = frame.type === 'error' && frame.restores ? run.record.error : stored.error;
    this.#host.changed({ ...keepingParts(run.record, stored), error: failure });
  }

  /** @param {Run} run */
  #finish(run) {
    run.ended = true;
    this.#runs.delete(run.record.conversation);
    this.#host.ended(run.record);
  }
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
