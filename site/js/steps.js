/** What a turn did before it answered: one muted line that opens to the details. */

import { element } from './dom.js';

/** @typedef {import('./protocol.js').Step} Step */
/** @typedef {import('./strings.js').Strings} Strings */

/** Steps named in the line; it counts the others. */
const NAMED = 3;

/**
 * @param {Step[]} steps
 * @param {Strings} strings
 * @returns {HTMLElement[]}
 */
export function drawSteps(steps, strings) {
  if (steps.length === 0) return [];
  const line = steps.slice(0, NAMED).flatMap((step, at) => {
    const words = sentence(step, strings, at === 0);
    return at === 0 ? words : [', ', ...words];
  });
  const more = steps.length - NAMED;
  if (more > 0) line.push(strings.moreSteps(more));
  const items = steps.map((step) =>
    element('li', { class: 'step', 'data-kind': step.kind }, ...sentence(step, strings, true)),
  );
  return [
    element('details', { class: 'steps' }, element('summary', {}, ...line), element('ol', {}, ...items)),
  ];
}

/**
 * A search holds its query, a reading its page's title; any other step is a sentence already.
 *
 * @param {Step} step
 * @param {Strings} strings
 * @param {boolean} first       whether it begins the line
 * @returns {(Node | string)[]}
 */
function sentence({ kind, text }, strings, first) {
  const verbs = kind === 'search' ? strings.searched : kind === 'read' ? strings.read : null;
  if (!verbs) return [text];
  return [`${verbs[first ? 0 : 1]} `, element('em', {}, text)];
}
