/**
 * The way to Python: starts PyScript's worker and calls what it exports. Both sides pass one JSON string.
 */

import { keepNoPackages } from './package_cache.js';

/** @typedef {import('./protocol.js').Frame} Frame */
/** @typedef {import('./protocol.js').Failure} Failure */
/** @typedef {{loaded: number, total: number}} Progress */
/** @typedef {{frame: (frame: Frame) => void, progress: (progress: Progress) => void}} Listeners */

/**
 * What the worker says when it has started.
 *
 * @typedef {object} BootReply
 * @property {string} title
 * @property {string[]} starters
 * @property {Failure | null} error
 */

/**
 * What the page awaits of the worker, and the worker of the page.
 *
 * @typedef {object} PythonWorker
 * @property {Record<string, (json: string) => Promise<string>>} sync
 */

/** The engine cannot start here; the message is a sentence for the reader. */
export class EngineMissing extends Error {}

export class Bridge {
  #site;
  /** @type {Listeners} */
  #listeners = { frame() {}, progress() {} };
  /** @type {PythonWorker | null} */
  #worker = null;
  /** @type {(reply: BootReply) => void} */
  #started = () => {};
  /** @type {(reason: Error) => void} */
  #failed = () => {};
  /** Resolves when questions can be answered. @type {Promise<BootReply>} */
  ready = new Promise((resolve, reject) => {
    this.#started = resolve;
    this.#failed = reject;
  });

  /**
   * @param {{base: string, runtime: string, build: string}} site   absolute addresses of the site and of its
   *   Python runtime (a worker from a blob has none of its own), and the build id of this page's files
   */
  constructor(site) {
    this.#site = site;
    this.ready.catch(() => {}); // Whoever awaits it hears of it; nobody may be waiting yet.
  }

  /** @param {Listeners} listeners */
  listen(listeners) {
    this.#listeners = listeners;
  }

  /** Starts Python; `ready` says how that went. */
  async start() {
    try {
      this.#worker = await this.#create();
      const reply = await this.#boot();
      if (reply.error) throw new EngineMissing(`${reply.error.message} ${reply.error.next}`);
      this.#started(reply);
    } catch (error) {
      this.#failed(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /**
   * Calls one function of the worker, once it has started.
   *
   * @param {string} name
   * @param {object} payload
   * @returns {Promise<any>}
   */
  async call(name, payload = {}) {
    await this.ready;
    return this.#send(name, payload);
  }

  /** @returns {Promise<BootReply>} */
  async #boot() {
    const { base, build } = this.#site;
    try {
      return await this.#send('boot', { base, build });
    } catch (error) {
      // A Python traceback ends with what went wrong. Where the worker's own code did not load at all,
      // PyScript has put the reason on the console, and this call fails oddly.
      const reason = String(error instanceof Error ? error.message : error)
        .trim()
        .split('\n')
        .at(-1);
      throw new EngineMissing(`its code failed (${reason}). Reload the page to try again.`, { cause: error });
    }
  }

  async #create() {
    const { base, runtime } = this.#site;
    keepNoPackages();
    const { PyWorker } = await import(`${runtime}pyscript/core.js`);
    // Before this element is there, PyWorker races with PyScript's own start: "No module named 'pyscript'".
    await customElements.whenDefined('py-script');
    const worker = await PyWorker(`${runtime}worker.py`, {
      async: true,
      version: `${runtime}boot.mjs#${this.#hearProgress()}`,
      config: {
        packages_cache: 'passthrough',
        sync_main_only: true,
        base,
        js_modules: { worker: { [new URL('./store.js', import.meta.url).href]: 'store' } },
      },
    });
    worker.sync.emit = (/** @type {string} */ json) => this.#listeners.frame(JSON.parse(json));
    worker.sync.progress = (/** @type {string} */ json) => this.#listeners.progress(JSON.parse(json));
    return worker;
  }

  /** What is downloaded before Python runs is told on a channel of its own. @returns {string} its name */
  #hearProgress() {
    const name = `ibid-start-${Math.random().toString(36).slice(2)}`;
    try {
      const channel = new BroadcastChannel(name);
      channel.onmessage = ({ data }) => {
        if (data.error) this.#failed(new EngineMissing(data.error));
        else this.#listeners.progress(data);
      };
      this.ready.catch(() => {}).finally(() => channel.close());
    } catch {
      // Denied in this frame: Python starts without figures.
    }
    return name;
  }

  /** @param {string} name @param {object} payload */
  async #send(name, payload) {
    const exported = this.#worker?.sync[name];
    if (!exported) throw new Error(`The worker does not export ${name}.`);
    return JSON.parse(await exported(JSON.stringify(payload)));
  }
}

/**
 * What keeps the engine from starting in this browser, or null.
 *
 * @returns {'worker' | 'wasm' | null}
 */
export function missingPart() {
  if (typeof Worker !== 'function') return 'worker';
  try {
    // The smallest module; a content policy without 'wasm-unsafe-eval' refuses it as it would Python.
    new WebAssembly.Module(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]));
    return null;
  } catch {
    return 'wasm';
  }
}
