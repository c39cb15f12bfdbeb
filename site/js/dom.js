/** Making DOM nodes. Nothing in this site makes them from a string of HTML. */

/** @typedef {string | number | boolean | null | undefined} AttributeValue */

/**
 * An element with attributes and children. A false, null or undefined attribute is left out, true is empty.
 *
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, AttributeValue>} [attributes]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    made.setAttribute(name, value === true ? '' : String(value));
  }
  made.append(...children);
  return made;
}

/**
 * A button that does one thing.
 *
 * @param {string} name
 * @param {() => unknown} act
 * @param {Record<string, AttributeValue>} [attributes]
 * @returns {HTMLButtonElement}
 */
export function button(name, act, attributes = {}) {
  const made = element('button', { type: 'button', ...attributes }, name);
  made.addEventListener('click', () => act());
  return made;
}

/**
 * The element of the page's own markup with this id.
 *
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} kind
 * @returns {T}
 */
export function byId(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`index.html has no ${kind.name} with the id ${id}`);
  return found;
}

/**
 * Whether a click on a link is a plain left click; any other follows the address.
 *
 * @param {MouseEvent} event
 * @returns {boolean}
 */
export function isPlainClick(event) {
  return event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
}
