/** Tree nodes (`ibid.markdown`) to DOM nodes. A type that is not on the list is drawn as its text. */

import { copyText } from './clipboard.js';
import { button, element } from './dom.js';
import { isForeign, safeUrl, setAddress } from './links.js';

/** @typedef {import('./protocol.js').TreeNode} TreeNode */
/** @typedef {import('./strings.js').Strings} Strings */

/**
 * @typedef {object} Drawing
 * @property {Strings} strings
 * @property {(n: number) => HTMLElement} cite    the mark with the number n
 * @property {number} lastHeading                 level of the heading drawn last; 2 is the question, or the title
 */

/** @type {Record<string, keyof HTMLElementTagNameMap>} */
const CONTAINERS = {
  paragraph: 'p',
  item: 'li',
  quote: 'blockquote',
  emphasis: 'em',
  strong: 'strong',
  strike: 's',
  mark: 'mark',
  row: 'tr',
};

/**
 * @param {TreeNode[] | undefined} nodes
 * @param {Drawing} drawing
 * @returns {(Node | string)[]}
 */
export function drawNodes(nodes, drawing) {
  return (nodes ?? []).map((node) => drawNode(node, drawing));
}

/**
 * @param {TreeNode} node
 * @param {Drawing} drawing
 * @returns {Node | string}
 */
export function drawNode(node, drawing) {
  const container = CONTAINERS[node.type];
  if (container) return element(container, {}, ...drawNodes(node.children, drawing));
  switch (node.type) {
    case 'text':
      return node.text ?? '';
    case 'heading':
      return drawHeading(node, drawing);
    case 'list':
      return drawList(node, drawing);
    case 'link':
      return drawLink(node, drawing);
    case 'table':
      return drawTable(node, drawing);
    case 'cell':
      return drawCell(node, drawing);
    case 'code':
      return element('code', {}, node.text ?? '');
    case 'code_block':
      return drawCode(node, drawing.strings);
    case 'rule':
      return element('hr');
    case 'break':
      return element('br');
    case 'image':
      return element('span', { class: 'image-text' }, node.text ?? '');
    case 'cite':
      return element('span', { class: 'cites' }, ...(node.numbers ?? []).map(drawing.cite));
    default:
      return element('span', {}, node.text ?? '', ...drawNodes(node.children, drawing));
  }
}

/**
 * The words of nodes, for the clipboard and for text fragments.
 *
 * @param {TreeNode[] | undefined} nodes
 * @returns {string}
 */
export function plainText(nodes) {
  return (nodes ?? []).map(nodeText).join('');
}

const BLOCKS = new Set([
  'paragraph',
  'heading',
  'list',
  'item',
  'quote',
  'table',
  'row',
  'code_block',
  'rule',
]);

/**
 * @param {TreeNode} node
 * @returns {string}
 */
function nodeText(node) {
  if (node.type === 'break') return '\n';
  if (node.type === 'cite') return node.raw ?? (node.numbers ?? []).map((n) => `[${n}]`).join('');
  const text = (node.text ?? '') + plainText(node.children);
  if (node.type === 'item') return `- ${text.trim()}\n`;
  if (node.type === 'cell') return `${text} `;
  if (node.type === 'row') return `${text.trim()}\n`;
  return BLOCKS.has(node.type) ? `${text}\n\n` : text;
}

/** Models begin at any level and skip levels; the page's outline does not. @param {TreeNode} node @param {Drawing} drawing */
function drawHeading(node, drawing) {
  const level = Math.min(2 + (node.level ?? 1), drawing.lastHeading + 1, 6);
  drawing.lastHeading = level;
  const tag = /** @type {'h3' | 'h4' | 'h5' | 'h6'} */ (`h${level}`);
  return element(tag, {}, ...drawNodes(node.children, drawing));
}

/** @param {TreeNode} node @param {Drawing} drawing */
function drawList(node, drawing) {
  const items = drawNodes(node.children, drawing);
  if (!node.ordered) return element('ul', {}, ...items);
  return element('ol', { start: node.start !== 1 && node.start }, ...items);
}

/** @param {TreeNode} node @param {Drawing} drawing */
function drawLink(node, drawing) {
  const words = drawNodes(node.children, drawing);
  const url = safeUrl(node.href);
  if (!url) return element('span', {}, ...words);
  const anchor = setAddress(element('a', {}, ...words), url);
  if (!isForeign(url) || plainText(node.children).includes(url.host)) return anchor;
  return element('span', {}, anchor, element('span', { class: 'link-host' }, ` (${url.host})`));
}

/** @param {TreeNode} node @param {Drawing} drawing */
function drawTable(node, drawing) {
  const rows = node.children ?? [];
  const isHeader = (/** @type {TreeNode} */ row) => (row.children ?? []).every((cell) => cell.header);
  const [header, body] = [rows.filter(isHeader), rows.filter((row) => !isHeader(row))];
  const table = element('table');
  if (header.length > 0) table.append(element('thead', {}, ...drawNodes(header, drawing)));
  if (body.length > 0) table.append(element('tbody', {}, ...drawNodes(body, drawing)));
  return element(
    'div',
    { class: 'table-scroll', tabindex: 0, role: 'region', 'aria-label': drawing.strings.table },
    table,
  );
}

/** @param {TreeNode} node @param {Drawing} drawing */
function drawCell(node, drawing) {
  const align = ['left', 'center', 'right'].includes(node.align ?? '') && node.align;
  const attributes = { class: align && `align-${align}`, scope: node.header && 'col' };
  return element(node.header ? 'th' : 'td', attributes, ...drawNodes(node.children, drawing));
}

/** @param {TreeNode} node @param {Strings} strings */
function drawCode(node, strings) {
  const text = node.text ?? '';
  const copy = button(strings.copyShort, async () => {
    if (await copyText(text)) copy.textContent = strings.copied;
  });
  copy.className = 'quiet';
  copy.setAttribute('aria-label', strings.copyCode);
  const language = element('span', { class: 'code-language' }, node.language ?? '');
  const pre = element('pre', { tabindex: 0 }, element('code', {}, text));
  return element('figure', { class: 'code' }, element('figcaption', {}, language, copy), pre);
}
