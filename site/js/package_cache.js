/**
 * PyScript keeps a cache of Python packages in IndexedDB, which is not used here: where storage is denied it
 * fails loudly, and elsewhere it leaves a database behind. It gets an empty one, as `boot.mjs` gives it in
 * the worker. Every other database is opened as ever.
 */

const PREFIX = 'IDBMap/';

const empty = {
  transaction: () => ({
    objectStore: () => ({ getAllKeys: () => answer([]), clear: () => answer(undefined) }),
  }),
  close() {},
};

/** An IDBRequest that succeeds. @param {unknown} result */
function answer(result) {
  /** @type {{result: unknown, onsuccess?: (event: {target: {result: unknown}}) => void}} */
  const request = { result };
  queueMicrotask(() => request.onsuccess?.({ target: request }));
  return request;
}

/** To be called before PyScript is imported. */
export function keepNoPackages() {
  try {
    const factory = window.indexedDB;
    const { open } = factory;
    const value = (/** @type {string} */ name, /** @type {number[]} */ ...version) =>
      name.startsWith(PREFIX) ? answer(empty) : open.call(factory, name, ...version);
    Object.defineProperty(factory, 'open', { configurable: true, value });
  } catch {
    // There is no IndexedDB at all: PyScript starts without its cache.
  }
}
