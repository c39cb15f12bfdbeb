/**
 * Where the store's tables are: in the database, or in memory while it cannot be had. A connection that was
 * closed is opened again once; what was written in memory moves to a database that opens late.
 */

import { isClosed, isNewerVersion, openDatabase, openNewer, transact } from './store_database.js';
import { MemoryTables } from './store_memory.js';
import { nextOrder } from './store_records.js';

/** @typedef {import('./store_database.js').Transaction} Transaction */

const WAIT_FOR_DATABASE = 1500; // ms; then the page goes on in memory

const NOTES = {
  '': '',
  unavailable: 'Conversations are not kept on this device: the browser allows this page no storage.',
  blocked: 'Conversations are not kept yet: another tab holds an older version. Close that tab.',
  newer: 'A newer version of this page wrote the stored conversations. Reload; until then nothing is stored.',
};

export class Tables {
  #name;
  #changed;
  /** @type {import('idb').IDBPDatabase | null} */
  #db = null;
  /** @type {Promise<import('idb').IDBPDatabase> | null} */
  #opening = null;
  /** @type {MemoryTables | null} */
  #memory = null;
  /** @type {keyof typeof NOTES} */
  #problem = '';
  #blocked = false;

  /**
   * @param {string} name          the database's
   * @param {() => void} changed   `note` has changed
   */
  constructor(name, changed) {
    this.#name = name;
    this.#changed = changed;
  }

  /** Why what is written does not outlive this page, as a sentence for the reader; empty if it does. */
  get note() {
    return NOTES[this.#problem];
  }

  /** Whether they are in memory, where every context has tables of its own. */
  get inMemory() {
    return this.#memory !== null;
  }

  get writable() {
    return this.#problem !== 'newer';
  }

  /** Ready after two seconds at the latest, whatever the browser does. */
  async start() {
    const opening = this.#open();
    opening.catch(() => {}); // Awaited below, and again when it comes late.
    const failure = await Promise.race([opening.then(() => null, String), wait(WAIT_FOR_DATABASE)]);
    if (failure === null) return;
    this.#memory = new MemoryTables();
    this.#setProblem(this.#blocked ? 'blocked' : 'unavailable');
    opening.then(
      () => this.#moveIn(),
      () => {}, // It stays in memory, as the note says.
    );
  }

  /**
   * One transaction, wherever the tables are now; once more where the connection was closed under it.
   *
   * @template T
   * @param {IDBTransactionMode} mode
   * @param {(transaction: Transaction) => Promise<T>} work
   * @returns {Promise<T>}
   */
  async run(mode, work) {
    for (let again = true; ; again = false) {
      try {
        if (this.#memory) return await this.#memory.transact(work);
        const db = this.#db ?? (await this.#open());
        if (mode === 'readwrite' && !this.writable) throw new Error(NOTES.newer);
        return await transact(db, mode, work);
      } catch (error) {
        if (!again || !isClosed(error)) throw error;
        this.#db = null;
      }
    }
  }

  #open() {
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #connect() {
    const lost = () => {
      this.#db = null;
    };
    try {
      this.#db = await openDatabase(this.#name, {
        blocked: () => {
          this.#blocked = true;
        },
        lost,
      });
    } catch (error) {
      if (!isNewerVersion(error)) throw error;
      this.#db = await openNewer(this.#name, lost);
      this.#setProblem('newer');
    }
    return this.#db;
  }

  async #moveIn() {
    const written = await this.#memory?.close();
    this.#memory = null;
    if (this.writable) this.#setProblem('');
    if (!written || !this.writable) return;
    await this.run('readwrite', async (tx) => {
      for (const conversation of written.conversations.values()) {
        await tx.put('conversations', { ...conversation, order: await nextOrder(tx) });
      }
      for (const turn of written.turns.values()) await tx.put('turns', turn);
      for (const setting of written.settings.values()) await tx.put('settings', setting);
      for (const { n: _, ...entry } of written.query_log.values()) await tx.put('query_log', entry);
    });
    this.#changed();
  }

  /** @param {keyof typeof NOTES} problem */
  #setProblem(problem) {
    this.#problem = problem;
    this.#changed();
  }
}

/** @param {number} milliseconds @returns {Promise<string>} */
function wait(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds, 'no answer'));
}
