/**
 * The service worker (SPEC 6a): registers it, says when everything is held, and offers a new version.
 */

/**
 * @typedef {object} OfflineHost
 * @property {() => void} ready                          everything is held
 * @property {() => void} refused                        this browser holds nothing for offline use
 * @property {(apply: () => void) => void} newVersion    `apply` switches to it and reloads
 */

/**
 * @param {string} base
 * @param {OfflineHost} host
 */
export async function keepOffline(base, host) {
  const { serviceWorker } = navigator;
  if (!serviceWorker) {
    host.refused();
    return;
  }
  try {
    const registration = await serviceWorker.register(new URL('sw.js', base), { scope: base });
    watchForVersions(registration, host);
    const { active } = await serviceWorker.ready;
    if (!active) return;
    const { held, total } = await holdAll(active);
    if (held !== total) return;
    document.documentElement.dataset.offline = 'ready';
    host.ready();
  } catch {
    host.refused();
  }
}

/**
 * Asks the service worker to hold every file, texts of passages too.
 *
 * @param {ServiceWorker} worker
 * @returns {Promise<{held: number, total: number}>} what it holds then
 */
function holdAll(worker) {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = ({ data }) => resolve(data);
    worker.postMessage({ type: 'ibid:hold' }, [port2]);
  });
}

/** @param {ServiceWorkerRegistration} registration @param {OfflineHost} host */
function watchForVersions(registration, host) {
  const offer = () => {
    const { waiting } = registration;
    if (!waiting || !registration.active) return;
    host.newVersion(() => {
      navigator.serviceWorker.addEventListener('controllerchange', () => window.location.reload(), {
        once: true,
      });
      waiting.postMessage({ type: 'ibid:activate' });
    });
  };
  offer();
  registration.addEventListener('updatefound', () => {
    registration.installing?.addEventListener('statechange', offer);
  });
}
