/**
 * Keeps whole versions of the site for use without a network (SPEC 6a).
 *
 * The build puts the release in front of this text: every file with its size, hashes and type. A version is
 * installed when all its files are there and right, and serves from then on; until then the old one does.
 * Texts of passages (`later`) join it when they are read, or when the page asks to hold them all.
 */

/** @typedef {{bytes: number, sha256: string[], type: string, later?: boolean}} Listed */
/** @typedef {{build: string, files: Record<string, Listed>}} Release */

const worker = /** @type {ServiceWorkerGlobalScope & {release: Release}} */ (/** @type {unknown} */ (self));
const { build, files } = worker.release;
const scope = worker.registration.scope;
const family = `ibid:${new URL(scope).pathname}:`;
const cacheName = family + build;
const SHELL = 'index.html';
const WASM = 'application/wasm';
const AT_ONCE = 6;

worker.addEventListener('install', (event) => {
  const names = Object.keys(files).filter((name) => !files[name]?.later);
  event.waitUntil(Promise.all([holdAll(names), serveWithoutWaking(event)]));
});

/**
 * What has a hash in its path is given straight from the cache, where the browser can do that: without it, this
 * worker would be started and asked for each of a hundred files.
 *
 * @param {any} event a browser that cannot has no `addRoutes`
 */
async function serveWithoutWaking(event) {
  const { pathname } = new URL(scope);
  const plain = pathname.replace(/[^\w/.-]/g, '\\$&');
  /** @param {string} path @param {unknown} source */
  const rule = (path, source) => ({ condition: { urlPattern: { pathname: `${plain}${path}` } }, source });
  await event.addRoutes?.([
    rule('runtime/*.wasm.gz', 'fetch-event'), // see `keptByBrowser`
    rule('app/*', { cacheName }),
    rule('runtime/*', { cacheName }),
  ]);
}

worker.addEventListener('activate', (event) => event.waitUntil(takeOver()));

worker.addEventListener('message', (event) => {
  const { type } = event.data ?? {};
  if (type === 'ibid:activate') worker.skipWaiting();
  const [port] = event.ports;
  if (type === 'ibid:hold' && port) event.waitUntil(answerHold(port));
});

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const name = nameOf(request);
  if (request.method === 'GET' && name) event.respondWith(serve(name, request));
});

/**
 * The release's file that a request asks for. Any page of the site is the shell, whatever its query.
 *
 * @param {Request} request
 * @returns {string | null}
 */
function nameOf(request) {
  const { origin, pathname, search } = new URL(request.url);
  const place = new URL(scope);
  if (origin !== place.origin || !pathname.startsWith(place.pathname)) return null;
  const name = decodeURI(pathname.slice(place.pathname.length));
  if (request.mode === 'navigate') return name === '' || name === SHELL ? SHELL : null;
  return name in files && search === '' ? name : null;
}

/** @param {string} name @param {Request} request */
async function serve(name, request) {
  // Asked for past every cache: a page found files of two versions, and wants the host's.
  if (request.cache === 'reload') return fetch(request);
  const held = (isWasm(name) && (await keptByBrowser(request.url))) || (await find(name));
  if (held) return held;
  // Gone from this cache, or a text that nobody has read yet.
  const response = await fetch(request);
  const data = await response.clone().arrayBuffer();
  if (response.ok && (await isRight(name, response, data))) await keep(name, data);
  return response;
}

/** @param {string} name */
const isWasm = (name) => name.endsWith('.wasm.gz');

/**
 * WebAssembly in the browser's own cache, where the host has sent it as such: beside it lies what the first visit
 * compiled, while beside a response of this worker's lies only what later ones did. Never asks the network.
 *
 * @param {string} url
 */
async function keptByBrowser(url) {
  try {
    const response = await fetch(url, { cache: 'only-if-cached', mode: 'same-origin' });
    if (response.ok && response.headers.get('Content-Type') === WASM) return response;
  } catch {
    // It holds none.
  }
  return undefined;
}

/**
 * A tab of the version before still asks for that version's files: their names differ, so it gets them.
 *
 * @param {string} name
 */
async function find(name) {
  const address = scope + name;
  const cache = await caches.open(cacheName);
  return (await cache.match(address)) ?? (isHashed(name) ? caches.match(address) : undefined);
}

/** @param {string} name whether it changes with the content */
const isHashed = (name) => name.includes('/') && !name.endsWith('/manifest.json');

/** @param {string[]} names @returns {Promise<void>} rejects when one cannot be had */
async function holdAll(names) {
  const left = [...names];
  const next = async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) await hold(name);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}

/** @param {string} name */
async function hold(name) {
  const cache = await caches.open(cacheName);
  if (await cache.match(scope + name)) return;
  // The page has just loaded most of them; a hash says whether those are right.
  for (const mode of /** @type {const} */ (['force-cache', 'reload'])) {
    const response = (mode === 'force-cache' && (await find(name))) || (await fetchFile(name, mode));
    const data = await response.arrayBuffer();
    if (response.ok && (await isRight(name, response, data))) return keep(name, data);
  }
  throw new Error(`${name}: the host sent something else than was published`);
}

/** @param {string} name @param {RequestCache} cache */
const fetchFile = (name, cache) => fetch(scope + (name === SHELL ? '' : name), { cache });

/**
 * A host may have undone gzip: either hash will do. What it calls HTML is stored as nothing else.
 *
 * @param {string} name
 * @param {Response} response
 * @param {ArrayBuffer} data
 */
async function isRight(name, response, data) {
  const listed = files[name];
  const isPage = response.headers.get('Content-Type')?.startsWith('text/html') ?? false;
  if (!listed || (isPage && name !== SHELL)) return false;
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', data));
  return listed.sha256.includes([...digest].map((byte) => byte.toString(16).padStart(2, '0')).join(''));
}

/**
 * Kept unpacked, which spares every later start the work. WebAssembly also gets its own type: only then does
 * the browser keep it compiled.
 *
 * @param {string} name
 * @param {ArrayBuffer} data
 */
async function keep(name, data) {
  const isPacked = name.endsWith('.gz') && new Uint8Array(data)[0] === 0x1f;
  const body = new Response(data).body;
  const type = isWasm(name) ? WASM : (files[name]?.type ?? '');
  const cache = await caches.open(cacheName);
  await cache.put(
    scope + name,
    new Response(isPacked && body ? body.pipeThrough(new DecompressionStream('gzip')) : body, {
      headers: { 'Content-Type': type },
    }),
  );
}

/** Other tabs may still run the version before; without any, it goes. */
async function takeOver() {
  const tabs = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const older = (await caches.keys()).filter((name) => name.startsWith(family) && name !== cacheName);
  const needed = tabs.length > 1 ? older.slice(-1) : [];
  await Promise.all(older.filter((name) => !needed.includes(name)).map((name) => caches.delete(name)));
  await worker.clients.claim();
}

/** Tells how many of the release's files are held, after an attempt to hold all. @param {MessagePort} port */
async function answerHold(port) {
  const names = Object.keys(files);
  await holdAll(names).catch(() => {}); // The count says it.
  const cache = await caches.open(cacheName);
  const held = await Promise.all(names.map((name) => cache.match(scope + name)));
  port.postMessage({ held: held.filter(Boolean).length, total: names.length });
}
