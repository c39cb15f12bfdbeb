/**
 * The app's side of the embedding (SPEC 6b): typed messages with the host page's `embed.js`, checked for
 * origin and source. They may prefill the box and set the theme; they carry nothing of a conversation.
 */

/** @typedef {{type: 'ibid:prefill', question: string} | {type: 'ibid:theme', theme: string}} HostMessage */

const LONGEST_QUESTION = 10_000;

/**
 * Who embeds this page. `embed.js` asks for a referrer of the origin alone.
 *
 * @returns {string | null}
 */
export function hostOrigin() {
  const ancestors = /** @type {{ancestorOrigins?: DOMStringList}} */ (window.location).ancestorOrigins;
  const known = ancestors?.[0] ?? document.referrer;
  if (!known || !URL.canParse(known)) return null;
  const { origin } = new URL(known);
  return origin === 'null' ? null : origin;
}

/**
 * A message of the known kinds, else null.
 *
 * @param {unknown} data
 * @returns {HostMessage | null}
 */
export function readHostMessage(data) {
  if (typeof data !== 'object' || data === null) return null;
  const { type, question, theme } = /** @type {Record<string, unknown>} */ (data);
  if (type === 'ibid:prefill' && typeof question === 'string' && question.length <= LONGEST_QUESTION) {
    return { type, question };
  }
  if (type === 'ibid:theme' && typeof theme === 'string') return { type, theme };
  return null;
}

/**
 * Listens to the host page and gives a way to ask it to close the dialog.
 *
 * @param {{prefill: (question: string) => void, theme: (theme: string) => void}} actions
 * @returns {() => void} closes the dialog on the host page
 */
export function connectHost(actions) {
  const origin = hostOrigin();
  const { parent } = window;
  if (!origin || parent === window) return () => {};
  window.addEventListener('message', (event) => {
    if (event.source !== parent || event.origin !== origin) return;
    const message = readHostMessage(event.data);
    if (message?.type === 'ibid:prefill') actions.prefill(message.question);
    if (message?.type === 'ibid:theme') actions.theme(message.theme);
  });
  parent.postMessage({ type: 'ibid:ready' }, origin);
  return () => parent.postMessage({ type: 'ibid:close' }, origin);
}
