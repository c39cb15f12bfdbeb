import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { freshDocument } from './dom.mjs';
import { paragraph, text } from './samples.mjs';

const { drawNodes, plainText } = await import('../../site/js/answer.js');
const { stringsFor } = await import('../../site/js/strings.js');

const draw = (...nodes) => {
  const place = document.createElement('div');
  place.append(
    ...drawNodes(nodes, {
      strings: stringsFor(),
      cite: (n) => document.createTextNode(`<${n}>`),
      lastHeading: 2,
    }),
  );
  return place;
};

beforeEach(() => freshDocument());

const SIMPLE = [
  ['paragraph', paragraph(text('a')), '<p>a</p>'],
  ['emphasis', { type: 'emphasis', children: [text('a')] }, '<em>a</em>'],
  ['strong', { type: 'strong', children: [text('a')] }, '<strong>a</strong>'],
  ['strike', { type: 'strike', children: [text('a')] }, '<s>a</s>'],
  ['quote', { type: 'quote', children: [paragraph(text('a'))] }, '<blockquote><p>a</p></blockquote>'],
  ['mark', { type: 'mark', children: [text('a')] }, '<mark>a</mark>'],
  ['code', { type: 'code', text: '<b>' }, '<code>&lt;b&gt;</code>'],
  ['rule', { type: 'rule' }, '<hr>'],
  ['break', { type: 'break' }, '<br>'],
  ['image', { type: 'image', text: 'A cat' }, '<span class="image-text">A cat</span>'],
  ['cite', { type: 'cite', numbers: [1, 3] }, '<span class="cites">&lt;1&gt;&lt;3&gt;</span>'],
  [
    'list',
    { type: 'list', ordered: true, start: 3, children: [{ type: 'item', children: [text('a')] }] },
    '<ol start="3"><li>a</li></ol>',
  ],
  ['unknown', { type: 'script', text: 'alert(1)' }, '<span>alert(1)</span>'],
  ['markup', text('<img src=x onerror=alert(1)>'), '&lt;img src=x onerror=alert(1)&gt;'],
];

for (const [name, node, html] of SIMPLE) {
  test(`A node of the kind ${name} is drawn as the table says.`, () => {
    assert.equal(draw(node).innerHTML, html);
  });
}

test('Headings follow each other without a gap, whatever levels the model chose; the question is h2.', () => {
  const heading = (level) => ({ type: 'heading', level, children: [text('h')] });
  const drawn = draw(heading(2), heading(4), heading(1), heading(6));
  assert.deepEqual(
    [...drawn.children].map(({ tagName }) => tagName),
    ['H3', 'H4', 'H3', 'H4'],
  );
});

test('A table keeps its columns: header cells in a head, alignment as a class.', () => {
  const cell = (value, header, align) => ({ type: 'cell', header, align, children: [text(value)] });
  const row = (header, ...values) => ({
    type: 'row',
    children: values.map((value) => cell(value, header, 'right')),
  });
  const drawn = draw({ type: 'table', children: [row(true, 'a', 'b'), row(false, '1', '2')] });
  assert.equal(drawn.querySelectorAll('thead th[scope=col].align-right').length, 2);
  assert.equal(drawn.querySelectorAll('tbody td').length, 2);
});

test('Code is drawn as it is, its language is text, and a button copies it unchanged.', async () => {
  const copied = [];
  Object.defineProperty(navigator, 'clipboard', {
    value: { writeText: async (value) => copied.push(value) },
    configurable: true,
  });
  const code = 'd[i][0] = <b>1</b>;\n\n';
  const drawn = draw({ type: 'code_block', language: '"><img>', text: code });
  drawn.querySelector('button').click();
  await Promise.resolve();
  assert.equal(drawn.querySelector('pre').textContent, code);
  assert.equal(drawn.querySelector('.code-language').textContent, '"><img>');
  assert.equal(drawn.querySelector('img'), null);
  assert.deepEqual(copied, [code]);
});

test('Only safe addresses become links, and a foreign one shows its host.', () => {
  const link = (href) => draw({ type: 'link', href, children: [text('words')] });
  assert.equal(link('javascript:alert(1)').querySelector('a'), null);
  assert.equal(link('guide/').querySelector('a').getAttribute('href'), 'https://docs.example/ask/guide/');
  const foreign = link('https://x.example/a');
  assert.equal(foreign.querySelector('a').rel, 'noopener noreferrer');
  assert.equal(foreign.textContent, 'words (x.example)');
});

test('In the embedded frame a link opens in the tab of the host page.', () => {
  document.documentElement.toggleAttribute('data-embed', true);
  assert.equal(draw({ type: 'link', href: 'a/', children: [] }).querySelector('a').target, '_top');
});

test('Plain text has the words of all nodes, marks as they stood, and parts its blocks.', () => {
  const nodes = [
    paragraph(text('a'), { type: 'cite', numbers: [2], raw: '[02]' }),
    { type: 'code_block', text: 'b' },
  ];
  assert.equal(plainText(nodes), 'a[02]\n\nb\n\n');
});
