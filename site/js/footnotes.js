/** Marks, chips and the related row, and the light between a mark and its footnote. */

import { element, isPlainClick } from './dom.js';
import { safeUrl, setAddress } from './links.js';
import { placeNames } from './protocol.js';

/** @typedef {import('./protocol.js').Chip} Chip */
/** @typedef {import('./protocol.js').Related} Related */
/** @typedef {import('./protocol.js').Source} Source */
/** @typedef {import('./strings.js').Strings} Strings */

/**
 * The mark with the number n, muted while the turn has no such source.
 *
 * @param {number} n
 * @param {Source[]} sources
 * @param {Strings} strings
 * @param {(n: number, mark: HTMLButtonElement) => void} open
 * @returns {HTMLButtonElement}
 */
export function markButton(n, sources, strings, open) {
  const mark = element('button', { type: 'button', class: 'cite', 'data-n': n }, element('span', {}, `${n}`));
  mark.addEventListener('click', () => open(n, mark));
  resolve(mark, sources, strings);
  return mark;
}

/**
 * Looks every mark up again, after the sources have changed.
 *
 * @param {HTMLElement} answer
 * @param {Source[]} sources
 * @param {Strings} strings
 */
export function refreshMarks(answer, sources, strings) {
  for (const mark of answer.querySelectorAll('button.cite')) {
    resolve(/** @type {HTMLButtonElement} */ (mark), sources, strings);
  }
}

/**
 * @param {HTMLButtonElement} mark
 * @param {Source[]} sources
 * @param {Strings} strings
 */
function resolve(mark, sources, strings) {
  const n = Number(mark.dataset.n);
  const source = sources.find((candidate) => candidate.n === n);
  mark.disabled = !source;
  mark.classList.toggle('cite-unresolved', !source);
  mark.setAttribute(
    'aria-label',
    source ? strings.sourceName(n, placeNames(source)) : strings.sourceMissing(n),
  );
}

/**
 * @param {Chip[]} chips
 * @param {Strings} strings
 * @param {(chip: Chip, opener: HTMLElement) => void} open
 * @returns {HTMLElement}
 */
export function drawChips(chips, strings, open) {
  const items = chips.map((chip) => {
    const names = placeNames(chip);
    const numbers = chip.numbers.map((n) => element('span', { class: 'number' }, `${n}`));
    const link = element(
      'a',
      { class: 'source-chip', title: names.join(' › '), 'data-numbers': chip.numbers.join(' ') },
      element('span', { class: 'chip-numbers' }, ...interleave(numbers, ' ')),
      element('span', { class: 'chip-place' }, ...placeParts(names)),
    );
    return element(
      'li',
      {},
      opening(link, chip.url, () => open(chip, link)),
    );
  });
  return element('ol', { class: 'chips', 'aria-label': strings.sources }, ...items);
}

/** Title, middle and end of a place apart, so that the middle gives way first. @param {string[]} names */
function placeParts(names) {
  const [title = '', ...headings] = names;
  const end = headings.pop();
  const parts = [element('span', { class: 'chip-title' }, title)];
  if (headings.length > 0) parts.push(element('span', { class: 'chip-path' }, ` › ${headings.join(' › ')}`));
  if (end) parts.push(element('span', { class: 'chip-end' }, ` › ${end}`));
  return parts;
}

/**
 * @param {Related[]} related
 * @param {Strings} strings
 * @param {(page: Related, opener: HTMLElement) => void} open
 * @returns {HTMLElement}
 */
export function drawRelated(related, strings, open) {
  const links = related.map((page) => {
    const names = placeNames(page);
    const link = element('a', { class: 'related-doc', title: names.join(' › ') }, names[0] ?? page.path);
    return opening(link, page.url, () => open(page, link));
  });
  return element(
    'p',
    { class: 'msg-meta related-docs' },
    element('span', { class: 'related-label' }, strings.relatedLabel),
    ' ',
    ...interleave(links, ' '),
  );
}

/**
 * Lights up a mark's footnote, and a footnote's marks, under the pointer and under the focus.
 *
 * @param {HTMLElement} turn
 */
export function linkMarksAndChips(turn) {
  const light = (/** @type {Event} */ event) => {
    const origin = event.target instanceof Element && event.target.closest('.cite[data-n], .source-chip');
    const leaves = event.type === 'mouseout' || event.type === 'focusout';
    const numbers = new Set(origin && !leaves ? numbersOf(origin) : []);
    for (const part of turn.querySelectorAll('.cite[data-n], .source-chip')) {
      part.classList.toggle(
        'lit',
        numbersOf(part).some((n) => numbers.has(n)),
      );
    }
  };
  for (const type of ['mouseover', 'mouseout', 'focusin', 'focusout']) turn.addEventListener(type, light);
}

/** @param {Element} part */
function numbersOf(part) {
  const { n, numbers } = /** @type {HTMLElement} */ (part).dataset;
  return (n ?? numbers ?? '').split(' ').filter(Boolean);
}

/**
 * A link whose plain click opens the passage instead of the page.
 *
 * @param {HTMLAnchorElement} link
 * @param {string} address
 * @param {() => void} open
 */
function opening(link, address, open) {
  link.addEventListener('click', (event) => {
    if (!isPlainClick(event)) return;
    event.preventDefault();
    open();
  });
  const url = safeUrl(address);
  if (!url) {
    // No address to follow, but still a passage to open, by keyboard too.
    link.tabIndex = 0;
    link.addEventListener('keydown', (event) => event.key === 'Enter' && open());
  }
  return setAddress(link, url);
}

/** @param {Node[]} nodes @param {string} between */
function interleave(nodes, between) {
  return nodes.flatMap((node, at) => (at === 0 ? [node] : [between, node]));
}
