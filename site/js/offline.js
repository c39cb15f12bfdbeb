/**
 * The service worker (SPEC 6a): registers it, says when everything is held, and offers a new version.
 */

/**
 * @typedef {object} OfflineHost
 * @property {() => Promise<{held: number, total: number}>} holdTexts   asks the worker to hold every text
 * @property {() => void} ready                                         everything is held
 * @property {(apply: () => void) => void} newVersion                   `apply` switches to it and reloads
 */

/**
 * @param {string} base
 * @param {OfflineHost} host
 */
export async function keepOffline(base, host) {
  const { serviceWorker } = navigator;
  if (!serviceWorker) return;
  try {
    const registration = await serviceWorker.register(new URL('sw.js', base), {
      type: 'module',
      scope: base,
    });
    watchForVersions(registration, host);
    await serviceWorker.ready;
    const { held, total } = await host.holdTexts();
    if (held !== total) return;
    document.documentElement.dataset.offline = 'ready';
    host.ready();
  } catch (error) {
    // Everything works online without it, and nothing claims otherwise.
    console.info('Ibid is not kept for offline use:', error);
  }
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
