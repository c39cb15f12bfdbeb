/** config.json, as the build writes it beside the page. */

/**
 * @typedef {object} Config
 * @property {string} title
 * @property {string[]} starters
 * @property {string} accent
 * @property {string} language
 * @property {string} build
 * @property {string} runtime      the folder of the Python runtime, with its last slash
 * @property {{base_url: string, model: string}} settings
 */

/** @type {Config} */
const DEFAULTS = {
  title: 'Documentation',
  starters: [],
  accent: '',
  language: 'en',
  build: '',
  runtime: './runtime/',
  settings: { base_url: '', model: '' },
};

/**
 * The site's configuration; its defaults where it cannot be read, so that the history still opens.
 *
 * @param {string} base
 * @returns {Promise<Config>}
 */
export async function loadConfig(base) {
  try {
    const response = await fetch(new URL('config.json', base));
    if (!response.ok) return DEFAULTS;
    return { ...DEFAULTS, ...(await response.json()) };
  } catch {
    return DEFAULTS;
  }
}
