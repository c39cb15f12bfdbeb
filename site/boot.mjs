/**
 * Starts Python: what PyScript takes for `pyodide.mjs` (PyWorker's option `version`).
 *
 * The files beside this one are one runtime, made by `ibid_build.runtime`. All downloads, the index's too,
 * start when this module is read, before the interpreter's own code. Large files are shipped as `.gz`, since
 * hosts differ in what they compress, and undone by their first bytes, since some have undone them already.
 *
 * The address may end in `#ID`: then progress is told on the BroadcastChannel ID, as `{loaded, total}` bytes.
 */
// @ts-expect-error ibid_build.runtime puts it beside this file
import { loadPyodide as load, version } from './pyodide.mjs';

export { version };

const here = new URL('./', import.meta.url).href;
const base = new URL('../../', here).href;
const HOME = '/home/pyodide';
const channel = new URL(import.meta.url).hash.slice(1);

/** @typedef {{path: string, bytes: Uint8Array}} Entry */

// The record at the end of a zip without a comment (APPNOTE 4.3.16).
const END = 0x504b0506;
const END_SIZE = 22;

// PyScript evaluates its own hooks in the worker; nothing here makes HTML.
/** @type {any} */ (globalThis).trustedTypes?.createPolicy('default', {
  createHTML: () => null,
  createScript: (/** @type {string} */ code) => code,
  createScriptURL: (/** @type {string} */ url) => (url.startsWith(base) ? url : null),
});

/**
 * PyScript wants IndexedDB for a package cache that is not used here; where storage is denied its start
 * would fail, and elsewhere every version would leave a database behind. It gets an empty one instead,
 * until `loadPyodide` is called.
 */
const emptyDatabase = {
  transaction: () => ({
    objectStore: () => ({ getAllKeys: () => answer([]), clear: () => answer(undefined) }),
  }),
  close() {},
};
Object.defineProperty(globalThis, 'indexedDB', {
  configurable: true,
  value: { open: () => answer(emptyDatabase) },
});

/** An IDBRequest that succeeds. @param {unknown} result */
function answer(result) {
  /** @type {{result: unknown, onsuccess?: (event: {target: {result: unknown}}) => void}} */
  const request = { result };
  queueMicrotask(() => request.onsuccess?.({ target: request }));
  return request;
}

const TELL_EVERY = 60; // ms
const progress = { loaded: 0, total: 0 };
let told = 0;
let listener = channel ? new BroadcastChannel(channel) : null;

/** @param {Response} response @returns the bytes on their way, 0 if the host does not say */
const sizeOf = (response) => Number(response.headers.get('Content-Length') ?? 0);

/** @param {string} address @param {RequestCache} [cache] */
async function request(address, cache = 'default') {
  const response = await fetch(address, { cache });
  if (!response.ok) throw new Error(`${address}: the host answered ${response.status}`);
  progress.total += sizeOf(response);
  return response;
}

/**
 * The response, its bytes counted as they come. What the browser unpacks itself counts when it is whole: only
 * then is it known how much of it was sent.
 *
 * @param {Response} response
 */
function counted(response) {
  const isUnpacked = response.headers.has('Content-Encoding');
  const count = new TransformStream({
    transform(/** @type {Uint8Array<ArrayBuffer>} */ bytes, controller) {
      if (!isUnpacked) tell(bytes.length);
      controller.enqueue(bytes);
    },
    flush() {
      if (isUnpacked) tell(sizeOf(response));
    },
  });
  return new Response(response.body?.pipeThrough(count));
}

/** @param {number} bytes that have come since */
function tell(bytes) {
  progress.loaded += bytes;
  if (!listener || performance.now() - told < TELL_EVERY) return;
  told = performance.now();
  listener.postMessage(progress);
}

/** All bytes of a response, gzip undone. @param {Response} response */
async function unpack(response) {
  const data = await counted(response).arrayBuffer();
  const [first, second] = new Uint8Array(data, 0, Math.min(2, data.byteLength));
  if (first !== 0x1f || second !== 0x8b) return data;
  const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}

/** @param {string} address @param {RequestCache} [cache] @returns {Promise<ArrayBuffer>} */
async function read(address, cache) {
  return unpack(await request(address, cache));
}

/**
 * Compiles WebAssembly. Only a response of that type does the browser keep compiled for the next visit: so comes
 * what the service worker gives, and what a host sends that reads `_headers`.
 *
 * @param {string} address
 */
async function compile(address) {
  const response = await request(address);
  const isWasm = response.headers.get('Content-Type') === 'application/wasm';
  if (!isWasm) return WebAssembly.compile(await unpack(response));
  try {
    const module = await WebAssembly.compileStreaming(response);
    tell(sizeOf(response));
    return module;
  } catch {
    return WebAssembly.compile(await read(address)); // A host may call it so and not undo gzip.
  }
}

/** Starts something that is awaited later; its failure is reported there. @template T @param {Promise<T>} work */
function early(work) {
  work.catch(() => {});
  return work;
}

/** Compiled while the engine's script is still being parsed, on other threads. */
const wasm = early(compile(`${here}pyodide.asm.wasm.gz`));
const stdlib = early(readZip(`${here}python_stdlib.zip.gz`));
const packages = ['numpy.zip.gz', 'packages.zip.gz'].map((name) => early(readZip(here + name)));
const pyscript = early(readZip(`${here}pyscript.zip.gz`));
// @ts-expect-error as above
const engine = early(import('./pyodide.asm.js'));
/** Rejects when a file cannot be had: Pyodide itself would wait for it for ever. @type {Promise<never>} */
const lost = early(
  new Promise((_, reject) => {
    for (const file of [wasm, stdlib, pyscript, ...packages]) file.catch(reject);
  }),
);
/** What Python reads first, by address. @type {Map<string, Promise<ArrayBuffer>>} */
const prefetched = new Map();
early(prefetchStore());
early(prefetchIndex());

/** @param {string} name */
function prefetch(name) {
  const data = early(read(base + name));
  prefetched.set(base + name, data);
  return data;
}

/** @param {Promise<ArrayBuffer>} data */
async function json(data) {
  return JSON.parse(new TextDecoder().decode(await data));
}

/** The module that PyScript imports once Python runs: it is here by then. */
async function prefetchStore() {
  const { app } = await json(prefetch('config.json'));
  await import(`${base}${app}js/store.js`);
}

/** All parts of the index but the build's report, and the shards, which are read when they are needed. */
async function prefetchIndex() {
  const { parts } = await json(prefetch('index/manifest.json'));
  for (const [name, { file }] of Object.entries(parts)) {
    if (name !== 'report' && !/-\d+$/.test(name)) prefetch(`index/${file}`);
  }
}

/**
 * A file of this site, for `ibid.browser.fetch`. What was fetched early is handed out once.
 *
 * @param {string} address
 * @param {boolean} fresh past every cache
 */
async function asset(address, fresh) {
  const fetched = fresh ? undefined : prefetched.get(address);
  prefetched.delete(address);
  return new Uint8Array(await (fetched ?? read(address, fresh ? 'reload' : 'default')));
}

/** @param {string} address */
async function readZip(address) {
  const zip = await read(address);
  const isZip = zip.byteLength >= END_SIZE && new DataView(zip).getUint32(zip.byteLength - END_SIZE) === END;
  if (!isZip) throw new Error(`${address} is damaged: it is no zip of this site`);
  return zip;
}

/**
 * The files of a zip without compression, none copied.
 *
 * @param {ArrayBuffer} zip
 * @returns {Generator<Entry>}
 */
function* entries(zip) {
  const view = new DataView(zip);
  const names = new TextDecoder();
  const end = zip.byteLength - END_SIZE;
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  for (let i = 0; i < count; i++) {
    const size = view.getUint32(at + 24, true);
    const name = view.getUint16(at + 28, true);
    const local = view.getUint32(at + 42, true);
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    yield {
      path: names.decode(new Uint8Array(zip, at + 46, name)),
      bytes: new Uint8Array(zip, start, size),
    };
    at += 46 + name + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
}

/** @param {any} fs @param {ArrayBuffer} zip @param {string} folder */
function install(fs, zip, folder) {
  for (const { path, bytes } of entries(zip)) {
    const target = `${folder}/${path}`;
    fs.mkdirTree(target.slice(0, target.lastIndexOf('/')));
    fs.writeFile(target, bytes, { canOwn: true });
  }
}

/**
 * Pyodide with numpy and Ibid on its path. The files are put there before Python starts: that takes
 * 15 ms, where Pyodide's own package loader unpacks them in Python.
 *
 * @param {Record<string, unknown>} options of PyScript: `stdout` and `stderr`
 */
export async function loadPyodide(options) {
  Reflect.deleteProperty(globalThis, 'indexedDB');
  const { fetch: fetchAnything } = globalThis;
  globalThis.fetch = async (input, init) => {
    if (String(input) === `${here}pyodide.asm.wasm`) return new Response(); // see below
    if (String(input) === `${here}python_stdlib.zip`) return new Response(await stdlib);
    return fetchAnything(input, init);
  };
  const { instantiateStreaming } = WebAssembly;
  WebAssembly.instantiateStreaming = async (_, imports) => {
    const module = await wasm;
    return { module, instance: await WebAssembly.instantiate(module, imports) };
  };
  try {
    await engine; // It sets _createPyodideModule, so that `load` need not fetch it.
    const loading = load({
      ...options,
      convertNullToNone: true, // else JavaScript's null is a value of its own, and no `is None` sees it
      indexURL: here,
      lockFileContents: { info: {}, packages: {} },
      env: { HOME },
      fsInit: async (/** @type {any} */ fs, /** @type {{sitePackages: string}} */ { sitePackages }) => {
        for (const zip of await Promise.all(packages)) install(fs, zip, sitePackages);
        install(fs, await pyscript, HOME); // PyScript writes its package into the current folder.
      },
    });
    const python = await Promise.race([loading, lost]);
    python.registerJsModule('ibid_assets', { read: asset });
    // While PyScript waits for the page; what goes wrong is told when the worker imports the same.
    setTimeout(() => early(python.runPythonAsync('import ibid.index_format, ibid.retrieval.retriever')));
    listener?.close();
    listener = null;
    return python;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `${reason}. Reload the page; if that does not help, the site has to be published again.`;
    listener?.postMessage({ error: message });
    throw new Error(message, { cause: error });
  } finally {
    globalThis.fetch = fetchAnything;
    WebAssembly.instantiateStreaming = instantiateStreaming;
  }
}
