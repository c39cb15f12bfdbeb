/**
 * The way to Python: starts PyScript's worker and calls what it exports. Both sides pass one JSON string.
 */

/** @typedef {import('./protocol.js').Frame} Frame */
/** @typedef {import('./protocol.js').Failure} Failure */
/** @typedef {{loaded: number, total: number}} Progress */

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
  #base;
  #build;
  #listeners;
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
   * @param {string} base      the site's absolute base address: a worker from a blob has none
   * @param {string} build     the build id of this page's files
   * @param {{frame: (frame: Frame) => void, progress: (progress: Progress) => void}} listeners
   */
  constructor(base, build, listeners) {
    this.#base = base;
    this.#build = build;
    this.#listeners = listeners;
    this.ready.catch(() => {}); // Whoever awaits it hears of it; nobody may be waiting yet.
  }

  /** Starts Python; `ready` says how that went. */
  async start() {
    try {
      this.#worker = await this.#create();
      const reply = await this.#send('boot', { base: this.#base, build: this.#build });
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

  async #create() {
    const address = (/** @type {string} */ path) => new URL(path, this.#base).href;
    const core = address('pyscript/core.js');
    const { PyWorker } = await import(core);
    // Before this element is there, PyWorker races with PyScript's own start: "No module named 'pyscript'".
    await customElements.whenDefined('py-script');
    const worker = await PyWorker(address('worker.py'), {
      async: true,
      version: address('boot.mjs'),
      config: {
        packages_cache: 'passthrough',
        sync_main_only: true,
        base: this.#base,
        js_modules: { worker: { [address('js/store.js')]: 'store' } },
      },
    });
    worker.sync.emit = (/** @type {string} */ json) => this.#listeners.frame(JSON.parse(json));
    worker.sync.progress = (/** @type {string} */ json) => this.#listeners.progress(JSON.parse(json));
    return worker;
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
