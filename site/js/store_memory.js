/** The store's tables in memory: where the browser denies storage, and until a blocked upgrade is through. */

/** @typedef {import('./store_database.js').Table} Table */
/** @typedef {import('./store_database.js').Transaction} Transaction */

/** @type {Record<Table, string>} */
const KEYS = { conversations: 'id', turns: 'id', settings: 'name', query_log: 'n' };

export class MemoryTables {
  /** @type {Record<Table, Map<IDBValidKey, any>>} */
  #tables = { conversations: new Map(), turns: new Map(), settings: new Map(), query_log: new Map() };
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();
  #entries = 0;
  #closed = false;

  /**
   * One transaction; they run one after the other. Throws as a closed database does once `close` was called.
   *
   * @template T
   * @param {(transaction: Transaction) => Promise<T>} work
   * @returns {Promise<T>}
   */
  transact(work) {
    const result = this.#last.then(() => {
      if (this.#closed) throw new DOMException('The tables moved to the database.', 'InvalidStateError');
      return work(this.#transaction);
    });
    this.#last = result.catch(() => {});
    return result;
  }

  /** Everything that was written, after what is under way; nothing can be written from then on. */
  async close() {
    return this.transact(async () => {
      this.#closed = true;
      return this.#tables;
    });
  }

  /** @type {Transaction} */
  #transaction = {
    get: async (table, key) => structuredClone(this.#tables[table].get(key)),
    put: async (table, value) => {
      const kept = structuredClone(value);
      if (table === 'query_log') kept.n ??= ++this.#entries;
      this.#tables[table].set(kept[KEYS[table]], kept);
    },
    remove: async (table, key) => this.#tables[table].delete(key),
    all: async (table) => structuredClone([...this.#tables[table].values()]),
    ofConversation: async (table, conversation) =>
      structuredClone(
        [...this.#tables[table].values()].filter((value) => value.conversation === conversation),
      ),
    clear: async (table) => this.#tables[table].clear(),
  };
}
