/**
 * Conversations, turns, settings and the query log, kept in this browser. The page and the Python worker
 * import this module; nothing else opens IndexedDB. Every method is one transaction.
 */

import { follow, forget, forgetAll, isUnderWay, rename, settle, touched, turnsOf } from './store_records.js';
import { Tables } from './store_tables.js';

/** @typedef {import('./store_records.js').Change} Change */
/** @typedef {import('./store_records.js').Conversation} Conversation */
/** @typedef {import('./store_records.js').TurnRecord} TurnRecord */

const KEPT_QUERIES = 500;

/**
 * The store of one site. Ready within two seconds, whatever the browser allows.
 *
 * @param {string} base the site's absolute base address; each has a database of its own
 * @returns {Promise<Store>}
 */
export async function openStore(base) {
  const store = new Store(`ibid:${new URL(base).pathname}`);
  await store.start();
  return store;
}

export class Store {
  #name;
  #tables;
  /** Conversations this store has met: one of them that is gone was deleted. @type {Set<string>} */
  #met = new Set();
  /** Locks held here, where the browser has none to share. @type {Set<string>} */
  #held = new Set();
  /** @type {Set<(change: Change | null) => void>} */
  #listeners = new Set();
  /** @type {BroadcastChannel | null} */
  #channel = null;

  /** @param {string} name the database's */
  constructor(name) {
    this.#name = name;
    this.#tables = new Tables(name, () => this.#notify(null));
  }

  async start() {
    try {
      this.#channel = new BroadcastChannel(this.#name);
      this.#channel.onmessage = ({ data }) => this.#take(data);
    } catch {
      // Other tabs are not heard where the browser denies it.
    }
    await this.#tables.start();
  }

  /** Whether what is written outlives this page. */
  get kept() {
    return this.#tables.note === '';
  }

  /** Why not, as a sentence for the reader; empty if it is kept. */
  get keptNote() {
    return this.#tables.note;
  }

  /**
   * Calls `listener` for every change made elsewhere, and with null when `kept` has changed.
   *
   * @param {(change: Change | null) => void} listener
   * @returns {() => void} ends it
   */
  subscribe(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** All conversations, the one written to last first. @returns {Promise<Conversation[]>} */
  async conversations() {
    const all = await this.#tables.run('readonly', (tx) => tx.all('conversations'));
    return all.sort((a, b) => b.order - a.order);
  }

  /**
   * The turns of a conversation, in order. A turn that nobody writes any more reads as interrupted.
   *
   * @param {string} conversation
   * @returns {Promise<TurnRecord[]>}
   */
  async turns(conversation) {
    const turns = await this.#tables.run('readonly', (tx) => turnsOf(tx, conversation));
    if (turns.length > 0) this.#met.add(conversation);
    return turns.some(isUnderWay) ? this.#recover(conversation, turns) : turns;
  }

  /**
   * Inserts or replaces one turn. Throws if its conversation was deleted meanwhile.
   *
   * @param {TurnRecord} record
   */
  async putTurn(record) {
    const { conversation } = record;
    await this.#tables.run('readwrite', async (tx) => {
      const known = await tx.get('conversations', conversation);
      if (!known && this.#met.has(conversation)) {
        throw new Error('The conversation was deleted while this answer was written.');
      }
      await tx.put('conversations', await touched(tx, known, record));
      await tx.put('turns', record);
    });
    this.#met.add(conversation);
    this.#tell({ op: 'turn', record });
  }

  /** @param {string} conversation @param {string} title */
  async renameConversation(conversation, title) {
    await this.#tables.run('readwrite', (tx) => rename(tx, conversation, title));
    this.#tell({ op: 'rename', conversation, title });
  }

  /** @param {string} conversation */
  async deleteConversation(conversation) {
    this.#met.add(conversation);
    await this.#tables.run('readwrite', (tx) => forget(tx, conversation));
    this.#tell({ op: 'delete', conversation });
  }

  /** Deletes all conversations with their turns and queries; settings stay. */
  async deleteAll() {
    for (const { id } of await this.conversations()) this.#met.add(id);
    await this.#tables.run('readwrite', forgetAll);
    this.#tell({ op: 'deleteAll' });
  }

  /**
   * The conversations whose title, questions or answers have all the words.
   *
   * @param {string} words
   * @returns {Promise<Set<string>>}
   */
  async search(words) {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    /** @type {Map<string, string>} */
    const texts = await this.#tables.run('readonly', async (tx) => {
      const texts = new Map((await tx.all('conversations')).map(({ id, title }) => [id, title]));
      for (const { conversation, question, answer } of await tx.all('turns')) {
        texts.set(conversation, `${texts.get(conversation) ?? ''}\n${question}\n${answer ?? ''}`);
      }
      return texts;
    });
    const found = [...texts].filter(([, text]) => wanted.every((word) => text.toLowerCase().includes(word)));
    return new Set(found.map(([id]) => id));
  }

  /** @param {string} name @returns {Promise<unknown>} undefined where it was never set */
  async getSetting(name) {
    return (await this.#tables.run('readonly', (tx) => tx.get('settings', name)))?.value;
  }

  /** @param {string} name @param {unknown} value */
  async setSetting(name, value) {
    await this.#tables.run('readwrite', (tx) => tx.put('settings', { name, value }));
    this.#tell({ op: 'setting', name });
  }

  /** Appends one retrieval; the oldest go. @param {Record<string, unknown>} entry with its `conversation` */
  async logQuery(entry) {
    await this.#tables.run('readwrite', async (tx) => {
      await tx.put('query_log', entry);
      const entries = await tx.all('query_log');
      for (const { n } of entries.slice(0, -KEPT_QUERIES)) await tx.remove('query_log', n);
    });
  }

  /**
   * One writer a conversation, across tabs.
   *
   * @param {string} conversation
   * @returns {Promise<(() => void) | null>} releases it; null where another one holds it
   */
  async lock(conversation) {
    const name = `${this.#name}:${conversation}`;
    try {
      return await lockAcrossTabs(name);
    } catch {
      // No Web Locks here (plain http, or denied in this frame): one writer in this tab at least.
      if (this.#held.has(name)) return null;
      this.#held.add(name);
      return () => this.#held.delete(name);
    }
  }

  /**
   * @param {string} conversation
   * @param {TurnRecord[]} turns as they were read
   */
  async #recover(conversation, turns) {
    const release = this.#tables.writable ? await this.lock(conversation) : null;
    if (!release) return turns;
    try {
      return await this.#tables.run('readwrite', async (tx) => {
        const settled = (await turnsOf(tx, conversation)).map(settle);
        for (const turn of settled) await tx.put('turns', turn);
        return settled;
      });
    } finally {
      release();
    }
  }

  /** @param {Change} change made in another tab, or by the worker */
  async #take(change) {
    if (change.op === 'delete') this.#met.add(change.conversation);
    if (this.#tables.inMemory) await this.#tables.run('readwrite', (tx) => follow(tx, change));
    this.#notify(change);
  }

  /** @param {Change} change */
  #tell(change) {
    this.#channel?.postMessage(change);
  }

  /** @param {Change | null} change */
  #notify(change) {
    for (const listener of this.#listeners) listener(change);
  }
}

/**
 * @param {string} name
 * @returns {Promise<(() => void) | null>}
 */
function lockAcrossTabs(name) {
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(name, { ifAvailable: true }, (lock) => {
        if (!lock) {
          resolve(null);
          return undefined;
        }
        return new Promise((/** @type {(value?: undefined) => void} */ release) => resolve(() => release()));
      })
      .catch(reject);
  });
}
