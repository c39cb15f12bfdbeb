/** The state line under the box: one quiet sentence, always true, that opens the settings. */

import { button, element } from './dom.js';
import { hostOf, isThisComputer } from './endpoint.js';

/** @typedef {import('./strings.js').Strings} Strings */

/**
 * @typedef {object} State
 * @property {'loading' | 'ready' | 'failed'} engine
 * @property {{loaded: number, total: number} | null} progress
 * @property {string} failure          why the engine failed
 * @property {string} baseUrl
 * @property {string} model
 * @property {boolean} online
 * @property {'' | 'ready' | 'refused'} offline    whether the page is held for offline use
 * @property {boolean} kept            whether conversations are kept on this device
 * @property {string} keptNote         why they are not
 * @property {boolean} newVersion
 */

export class StateLine {
  #strings;
  #sentence;
  #extras = element('span', { class: 'state-extras' });
  #meter = element('progress', { class: 'state-meter', hidden: true, 'aria-label': '' });
  #reload;
  /** @type {State} */
  #state = {
    engine: 'loading',
    progress: null,
    failure: '',
    baseUrl: '',
    model: '',
    online: true,
    offline: '',
    kept: true,
    keptNote: '',
    newVersion: false,
  };

  /**
   * @param {HTMLElement} place
   * @param {Strings} strings
   * @param {{openSettings: () => void, reload: () => void}} actions
   */
  constructor(place, strings, actions) {
    this.#strings = strings;
    this.#sentence = button('', actions.openSettings, { class: 'state-line', title: strings.openSettings });
    this.#reload = button(strings.reload, actions.reload, { class: 'quiet' });
    this.#meter.setAttribute('aria-label', strings.starting);
    place.append(this.#sentence, this.#meter, this.#extras);
    this.#draw();
  }

  /** @param {Partial<State>} change */
  set(change) {
    this.#state = { ...this.#state, ...change };
    this.#draw();
  }

  #draw() {
    const state = this.#state;
    this.#sentence.textContent = stateSentence(state, this.#strings);
    this.#sentence.classList.toggle('bad', state.engine === 'failed');
    const { progress } = state;
    this.#meter.hidden = state.engine !== 'loading' || !progress;
    if (progress) {
      this.#meter.max = Math.max(progress.total, progress.loaded, 1);
      this.#meter.value = progress.loaded;
    }
    const s = this.#strings;
    const extras = [];
    if (state.offline === 'ready') extras.push(element('span', { class: 'ready-offline' }, s.readyOffline));
    if (!state.kept) extras.push(element('span', { class: 'not-kept' }, state.keptNote || s.notKept));
    if (state.offline === 'refused') extras.push(element('span', {}, s.notOffline));
    if (state.newVersion)
      extras.push(element('span', { class: 'new-version' }, s.newVersion, ' ', this.#reload));
    this.#extras.replaceChildren(...extras);
  }
}

/**
 * @param {State} state
 * @param {Strings} strings
 * @returns {string}
 */
export function stateSentence({ engine, failure, progress, baseUrl, model, online }, strings) {
  if (engine === 'failed') return failure;
  if (engine === 'loading') {
    return progress ? strings.startingBytes(progress.loaded, progress.total) : strings.starting;
  }
  if (!online && !isThisComputer(baseUrl)) return strings.offlinePassages;
  return baseUrl ? strings.answersBy(model, hostOf(baseUrl)) : strings.answersFromPassages;
}
