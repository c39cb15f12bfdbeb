/** What runs first, before the rest of the page is there: Python starts to load. */

import './trusted.js';
import './policy.js';
import { Bridge, missingPart } from './bridge.js';
import { loadConfig } from './config.js';

export const base = new URL('./', document.baseURI).href;
export const config = await loadConfig(base);

/** What keeps Python from starting in this browser, or null. */
export const missing = missingPart();

export const bridge = new Bridge({
  base,
  runtime: new URL(config.runtime, base).href,
  build: config.build,
});
if (!missing) bridge.start();
