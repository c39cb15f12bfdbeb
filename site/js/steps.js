/** What a turn did before it answered: one muted line that opens to the details. */

import { element } from './dom.js';

/** @typedef {import('./protocol.js').Step} Step */
/** @typedef {import('./strings.js').Strings} Strings */

/**
 * @param {Step[]} steps
 * @param {Strings} strings
 * @returns {HTMLElement[]}
 */
export function drawSteps(steps, strings) {
  if (steps.length === 0) return [];
  const summary = element('summary', {}, ...summarise(steps, strings));
  const items = steps.map((step) => element('li', { class: 'step', 'data-kind': step.kind }, step.text));
  return [element('details', { class: 'steps' }, summary, element('ol', {}, ...items))];
}

const NAMED = 3;

/** @param {Step[]} steps @param {Strings} strings */
function summarise(steps, strings) {
  /** @type {(string | Node)[]} */
  const line = [];
  for (const step of steps.slice(0, NAMED)) {
    if (line.length > 0) line.push(', ');
    line.push(step.text);
  }
  if (steps.length > NAMED) line.push(`, ${strings.steps(steps.length)}`);
  return line;
}
