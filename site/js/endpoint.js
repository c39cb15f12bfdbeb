/**
 * Who writes the answers: the reader's choice of endpoint, and the API keys, each bound to the origin it was
 * typed for (SPEC 6). Keys live in sessionStorage, or in the store where the reader says "remember".
 * Nothing but the settings dialog calls `choose`.
 */

/** @typedef {{base_url: string, model: string, key: string}} Endpoint */
/** @typedef {{base_url: string, model: string}} Choice */

/**
 * What of the store is needed here.
 *
 * @typedef {object} SettingStore
 * @property {(name: string) => Promise<unknown>} getSetting
 * @property {(name: string, value: unknown) => Promise<void>} setSetting
 */

const CHOICE = 'endpoint';
const KEYS = 'keys';

export class EndpointChoice {
  #store;
  #session;
  #slot;
  /** The one origin that readers may ask; null: any. @type {string | null} */
  #fixed;
  /** @type {Choice} */
  #choice;
  /** @type {Record<string, string>} */
  #kept = {};
  /** @type {Record<string, string>} */
  #forSession = {};

  /**
   * @param {SettingStore} store
   * @param {{settings: Choice, endpoint_fixed: boolean}} config
   * @param {string} base              the site's base address: two sites of one origin do not share keys
   * @param {Storage | null} session
   */
  constructor(store, { settings, endpoint_fixed }, base, session) {
    this.#store = store;
    this.#choice = { base_url: settings.base_url ?? '', model: settings.model ?? '' };
    this.#fixed = endpoint_fixed ? originOf(this.#choice.base_url) : null;
    this.#slot = `ibid:keys:${new URL(base).pathname}`;
    this.#session = session;
  }

  /** Reads what an earlier visit chose. */
  async load() {
    const [choice, kept] = await Promise.all([this.#store.getSetting(CHOICE), this.#store.getSetting(KEYS)]);
    if (isTexts(choice) && this.faultOf(choice.base_url ?? '') !== 'other') {
      this.#choice = { base_url: choice.base_url ?? '', model: choice.model ?? '' };
    }
    if (isTexts(kept)) this.#kept = kept;
    try {
      const held = JSON.parse(this.#session?.getItem(this.#slot) ?? '{}');
      if (isTexts(held)) this.#forSession = held;
    } catch {
      // A foreign or denied value: there is no key for this session.
    }
  }

  /**
   * Why an address cannot be used here, or null; `plain` only warns.
   *
   * @param {string} baseUrl
   * @returns {'bad' | 'other' | 'plain' | null}
   */
  faultOf(baseUrl) {
    const fault = addressFault(baseUrl);
    if (fault === 'bad' || baseUrl === '' || !this.#fixed) return fault;
    return originOf(baseUrl) === this.#fixed ? fault : 'other';
  }

  /** The host of the one endpoint that readers may ask; empty: any. */
  get fixedHost() {
    return this.#fixed ? hostOf(this.#fixed) : '';
  }

  get baseUrl() {
    return this.#choice.base_url;
  }

  get model() {
    return this.#choice.model;
  }

  /** The endpoint to ask, null for extractive answers. @returns {Endpoint | null} */
  get endpoint() {
    const { base_url, model } = this.#choice;
    return base_url ? { base_url, model, key: this.keyFor(base_url) } : null;
  }

  /**
   * The key that was typed for this address's origin, else the empty string.
   *
   * @param {string} baseUrl
   * @returns {string}
   */
  keyFor(baseUrl) {
    const origin = originOf(baseUrl);
    return (origin && (this.#forSession[origin] ?? this.#kept[origin])) || '';
  }

  /** @param {string} baseUrl @returns {boolean} */
  isRemembered(baseUrl) {
    const origin = originOf(baseUrl);
    return origin !== null && origin in this.#kept;
  }

  /**
   * The reader pressed Save. An empty key leaves the one for this origin as it is.
   *
   * @param {Choice & {key: string, remember: boolean}} typed
   */
  async choose({ base_url, model, key, remember }) {
    this.#choice = { base_url, model };
    const origin = originOf(base_url);
    const held = key || this.keyFor(base_url);
    if (origin && held) this.#place(origin, held, remember);
    await this.#write();
  }

  /** @param {string} baseUrl */
  async forgetKey(baseUrl) {
    const origin = originOf(baseUrl);
    if (!origin) return;
    delete this.#kept[origin];
    delete this.#forSession[origin];
    await this.#write();
  }

  /** @param {string} origin @param {string} key @param {boolean} remember */
  #place(origin, key, remember) {
    delete this.#kept[origin];
    delete this.#forSession[origin];
    (remember ? this.#kept : this.#forSession)[origin] = key;
  }

  async #write() {
    try {
      this.#session?.setItem(this.#slot, JSON.stringify(this.#forSession));
    } catch {
      // Storage denied: the key lives as long as the page does.
    }
    await this.#store.setSetting(CHOICE, this.#choice);
    await this.#store.setSetting(KEYS, this.#kept);
  }
}

/**
 * Why an address cannot be used, or null. The same rule as `ibid.settings`.
 *
 * @param {string} baseUrl
 * @returns {'bad' | 'plain' | null}
 */
export function addressFault(baseUrl) {
  if (baseUrl === '') return null;
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password) return 'bad';
  return url.protocol === 'http:' && !isThisComputer(baseUrl) ? 'plain' : null;
}

/**
 * Whether an endpoint is on the reader's own machine, and so works offline.
 *
 * @param {string} baseUrl
 * @returns {boolean}
 */
export function isThisComputer(baseUrl) {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : '';
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127\./u.test(host);
}

/**
 * The host as the reader should see it (punycode), the empty string for no address.
 *
 * @param {string} baseUrl
 * @returns {string}
 */
export function hostOf(baseUrl) {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : '';
}

/**
 * Where requests will go, by the rules of `ibid.chat_addresses`.
 *
 * @param {string} baseUrl
 * @returns {string}
 */
export function finalAddress(baseUrl) {
  const url = new URL(baseUrl);
  const path = url.pathname
    .replace(/\/{2,}/gu, '/')
    .replace(/\/$/u, '')
    .replace(/\/chat\/completions$/iu, '');
  return `${url.origin}${path || '/v1'}/chat/completions${url.search}`;
}

/** @param {string} baseUrl */
function originOf(baseUrl) {
  return URL.canParse(baseUrl) ? new URL(baseUrl).origin : null;
}

/** @param {unknown} value @returns {value is Record<string, string>} */
function isTexts(value) {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((text) => typeof text === 'string')
  );
}
