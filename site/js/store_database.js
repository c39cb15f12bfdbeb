/**
 * The IndexedDB side of the store: the schema, opening it with everything that can go wrong, and one
 * transaction. Nothing but the database is ever awaited inside a transaction.
 */

import { openDB } from 'idb';

/** @typedef {'conversations' | 'turns' | 'settings' | 'query_log'} Table */

/**
 * What one transaction can do, on the database and in memory alike.
 *
 * @typedef {object} Transaction
 * @property {(table: Table, key: string) => Promise<any>} get
 * @property {(table: Table, value: any) => Promise<unknown>} put
 * @property {(table: Table, key: IDBValidKey) => Promise<unknown>} remove
 * @property {(table: Table) => Promise<any[]>} all
 * @property {(table: 'turns' | 'query_log', conversation: string) => Promise<any[]>} ofConversation
 * @property {(table: Table) => Promise<unknown>} clear
 */

const VERSION = 1;
/** @type {Table[]} */
const TABLES = ['conversations', 'turns', 'settings', 'query_log'];

/**
 * @typedef {object} Events
 * @property {() => void} blocked   another tab holds an older version open; the upgrade waits for it
 * @property {() => void} lost      the connection is gone: closed by the browser, or given up for an upgrade
 */

/**
 * Opens the database, upgraded to this code's version. Never settles while another tab blocks it.
 *
 * @param {string} name
 * @param {Events} events
 */
export function openDatabase(name, events) {
  return openDB(name, VERSION, {
    ...giveWay(events.lost),
    upgrade(db) {
      db.createObjectStore('conversations', { keyPath: 'id' });
      db.createObjectStore('turns', { keyPath: 'id' }).createIndex('conversation', 'conversation');
      db.createObjectStore('settings', { keyPath: 'name' });
      const log = db.createObjectStore('query_log', { keyPath: 'n', autoIncrement: true });
      log.createIndex('conversation', 'conversation');
    },
    blocked: events.blocked,
  });
}

/**
 * Opens what is there, whatever its version: for reading what a newer version of this page has written.
 *
 * @param {string} name
 * @param {() => void} lost
 */
export function openNewer(name, lost) {
  return openDB(name, undefined, giveWay(lost));
}

/**
 * Closes the connection when a newer version wants to upgrade.
 *
 * @param {() => void} lost
 * @returns {import('idb').OpenDBCallbacks<unknown>}
 */
function giveWay(lost) {
  return {
    blocking(_current, _next, event) {
      /** @type {IDBDatabase} */ (event.target).close();
      lost();
    },
    terminated: lost,
  };
}

/** @param {unknown} error */
export const isNewerVersion = (error) => error instanceof DOMException && error.name === 'VersionError';

/** @param {unknown} error the connection was closed under us, as iOS does to tabs in the background */
export const isClosed = (error) => error instanceof DOMException && error.name === 'InvalidStateError';

/**
 * One transaction. Throws synchronously where the connection is closed.
 *
 * @template T
 * @param {import('idb').IDBPDatabase} db
 * @param {IDBTransactionMode} mode
 * @param {(transaction: Transaction) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function transact(db, mode, work) {
  const transaction = db.transaction(TABLES, mode);
  const done = transaction.done;
  done.catch(() => {}); // Reported below, with what the work itself threw.
  const table = (/** @type {Table} */ name) => /** @type {any} */ (transaction.objectStore(name));
  try {
    const result = await work({
      get: (name, key) => table(name).get(key),
      put: (name, value) => table(name).put(value),
      remove: (name, key) => table(name).delete(key),
      all: (name) => table(name).getAll(),
      ofConversation: (name, conversation) => table(name).index('conversation').getAll(conversation),
      clear: (name) => table(name).clear(),
    });
    await done;
    return result;
  } catch (error) {
    try {
      transaction.abort();
    } catch {
      // It has aborted by itself.
    }
    throw transaction.error ?? error;
  }
}
