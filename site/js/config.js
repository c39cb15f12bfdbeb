/** The site's configuration: `config.json`, which the build also writes into the page, to save the way. */

/**
 * @typedef {object} Config
 * @property {string} title
 * @property {string[]} starters
 * @property {string} accent
 * @property {string} language
 * @property {string} build
 * @property {string} runtime      the folder of the Python runtime, with its last slash
 * @property {{base_url: string, model: string}} settings
 * @property {boolean} endpoint_fixed   readers ask that endpoint or none; the content policy allows no other
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
  endpoint_fixed: false,
};

/**
 * The site's configuration; its defaults where it cannot be read, so that the history still opens.
 *
 * @param {string} base
 * @returns {Promise<Config>}
 */
export async function loadConfig(base) {
  try {
    const inPage = document.getElementById('config')?.textContent;
    if (inPage) return { ...DEFAULTS, ...JSON.parse(inPage) };
    const response = await fetch(new URL('config.json', base));
    return response.ok ? { ...DEFAULTS, ...(await response.json()) } : DEFAULTS;
  } catch {
    return DEFAULTS;
  }
}
