/** A document for the tests: happy-dom's window as the globals that the page's modules use. */

import { Window } from 'happy-dom';

const NAMES = [
  'document',
  'Element',
  'HTMLElement',
  'HTMLButtonElement',
  'Node',
  'Event',
  'KeyboardEvent',
  'MouseEvent',
];

const window = new Window({ url: 'https://docs.example/ask/', width: 1280, height: 800 });
Object.assign(globalThis, { window, ...Object.fromEntries(NAMES.map((name) => [name, window[name]])) });
Object.defineProperty(globalThis, 'navigator', { value: window.navigator, configurable: true });

/** An empty body, and what happy-dom lacks. */
export function freshDocument() {
  document.body.replaceChildren();
  document.documentElement.dataset.ibid = 'ready';
  document.documentElement.removeAttribute('data-embed');
  return document.body;
}

/** A plain left click. */
export function click(node, options = {}) {
  return node.dispatchEvent(
    new MouseEvent('click', { bubbles: true, cancelable: true, button: 0, ...options }),
  );
}

export function press(node, key, options = {}) {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...options });
  node.dispatchEvent(event);
  return event;
}

/** Everything that is already settled has run. */
export const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A promise with its two ends outside. */
export function deferred() {
  const ends = {};
  ends.promise = new Promise((resolve, reject) => Object.assign(ends, { resolve, reject }));
  return ends;
}
