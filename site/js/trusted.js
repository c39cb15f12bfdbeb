/**
 * The default Trusted Types policy: no HTML from strings at all; scripts only as PyScript needs them, its
 * worker from a blob and the files of this site. Imported before anything else.
 */

/** @type {any} */ (window).trustedTypes?.createPolicy('default', {
  createHTML: () => null,
  createScript: (/** @type {string} */ code) => code,
  createScriptURL: (/** @type {string} */ address) => {
    const url = new URL(address, document.baseURI);
    const own = url.origin === window.location.origin || url.protocol === 'blob:';
    return own ? address : null;
  },
});
