/** Which addresses may become links (SPEC 6): http, https and mailto, after URL parsing. */

const ALLOWED = new Set(['http:', 'https:', 'mailto:']);

/**
 * The parsed address, or null where it may not be a link.
 *
 * @param {string | undefined} address
 * @param {string} [base]
 * @returns {URL | null}
 */
export function safeUrl(address, base = document.baseURI) {
  if (!address) return null;
  try {
    const url = new URL(address, base);
    const hidesItsHost = url.username !== '' || url.password !== '';
    return ALLOWED.has(url.protocol) && !hidesItsHost ? url : null;
  } catch {
    return null;
  }
}

/**
 * Whether the address leads to another origin than this page's.
 *
 * @param {URL} url
 * @returns {boolean}
 */
export function isForeign(url) {
  return url.protocol !== 'mailto:' && url.origin !== window.location.origin;
}

/**
 * Gives an `<a>` its address, and the manners of a foreign one. In the embedded frame a link opens in the
 * host page's tab. Without a safe address the element stays without one.
 *
 * @param {HTMLAnchorElement} anchor
 * @param {URL | null} url
 * @returns {HTMLAnchorElement}
 */
export function setAddress(anchor, url) {
  if (!url) return anchor;
  anchor.setAttribute('href', url.href);
  if (isForeign(url)) anchor.rel = 'noopener noreferrer';
  if (document.documentElement.hasAttribute('data-embed')) anchor.target = '_top';
  return anchor;
}

const FRAGMENT_WORDS = 6;

/**
 * The address with a text fragment that scrolls to these words (WICG Scroll To Text Fragment). Long text
 * is named by its first and last words.
 *
 * @param {URL} url
 * @param {string} text
 * @returns {URL}
 */
export function withTextFragment(url, text) {
  const words = text.trim().split(/\s+/u).filter(Boolean);
  if (words.length === 0) return url;
  const parts =
    words.length <= 2 * FRAGMENT_WORDS
      ? [words]
      : [words.slice(0, FRAGMENT_WORDS), words.slice(-FRAGMENT_WORDS)];
  const directive = parts.map((part) => encodeURIComponent(part.join(' ')).replaceAll('-', '%2D')).join(',');
  const result = new URL(url);
  result.hash = `${url.hash.replace(/^#/u, '')}:~:text=${directive}`;
  return result;
}
