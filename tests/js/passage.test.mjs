import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { deferred, freshDocument, press, settled } from './dom.mjs';
import { paragraph, source, text } from './samples.mjs';

const { PassageDialog } = await import('../../site/js/passage.js');
const { passageBlocks } = await import('../../site/js/passage_text.js');
const { stringsFor } = await import('../../site/js/strings.js');

let dialog;
let passage;
let opener;
const shown = (selector) => document.querySelector(`dialog ${selector}`);
const reply = (changes = {}) => ({
  ...source(1),
  state: 'current',
  before: [paragraph(text('Before.'))],
  blocks: [paragraph({ type: 'mark', children: [text('Thirty days.')] }, text(' More.'))],
  after: [paragraph(text('After.'))],
  ...changes,
});

beforeEach(() => {
  dialog = document.createElement('dialog');
  opener = document.createElement('button');
  freshDocument().append(opener, dialog);
  passage = new PassageDialog(dialog, stringsFor());
});

test('The stored passage is there at once, before the worker has answered.', () => {
  passage.open(source(1), opener, deferred().promise);
  assert.ok(dialog.open);
  assert.equal(shown('h2').textContent, 'Retention');
  assert.equal(shown('.breadcrumb').textContent, 'How long');
  assert.equal(shown('.passage-itself').textContent, 'Text of passage 1.');
  assert.equal(
    shown('.open-page').getAttribute('href'),
    'https://docs.example/retention/#how-long:~:text=Text%20of%20passage%201.',
  );
});

test("The worker's reply adds the highlight and the page around it, and points the link to the words.", async () => {
  await passage.open(source(1), opener, Promise.resolve(reply()));
  assert.equal(shown('mark').textContent, 'Thirty days.');
  assert.equal(shown('.passage-body').textContent, 'Before.Thirty days. More.After.');
  assert.match(shown('.open-page').textContent, /^Open page$/);
  assert.match(shown('.open-page').getAttribute('href'), /#how-long:~:text=Thirty%20days\.$/);
  assert.ok(shown('.passage-note').hidden);
});

const STATES = [
  ['changed', /has changed since/, true],
  ['missing', /no longer in the documentation/, false],
];
for (const [state, sentence, hasLink] of STATES) {
  test(`A passage that is ${state} is shown as it was stored, and the dialog says so.`, async () => {
    await passage.open(source(1), opener, Promise.resolve(reply({ state })));
    assert.match(shown('.passage-note').textContent, sentence);
    assert.ok(!shown('.passage-note').hidden);
    assert.equal(Boolean(shown('.open-page')), hasLink);
  });
}

test('Where nothing is known of a passage any more, it is shown as it was stored.', async () => {
  await passage.open(source(1), opener, Promise.resolve(null));
  assert.equal(shown('.passage-itself').textContent, 'Text of passage 1.');
  assert.match(shown('.passage-note').textContent, /no longer in the documentation/);
});

test('The dialog is busy until it shows all that there is to show, whatever came before it.', async () => {
  const [first, second] = [deferred(), deferred()];
  passage.open(source(1), opener, first.promise);
  passage.open(source(2), opener, second.promise);
  first.resolve(reply());
  await settled();
  assert.ok(dialog.hasAttribute('data-busy'));
  second.resolve(null);
  await settled();
  assert.ok(!dialog.hasAttribute('data-busy'));
});

test('A reply to what is not open any more is not drawn.', async () => {
  const late = deferred();
  passage.open(source(1), opener, late.promise);
  passage.open(source(2, 'Export', ['Export']), opener, deferred().promise);
  late.resolve(reply());
  await settled();
  assert.equal(shown('h2').textContent, 'Export');
});

test('Where the worker fails, the stored passage stays, and the dialog says why there is no more.', async () => {
  await passage.open(source(1), opener, Promise.reject(new Error('no text shard.')));
  assert.equal(shown('.passage-itself').textContent, 'Text of passage 1.');
  assert.match(shown('.passage-note').textContent, /no text shard/);
});

test('The focus goes into the dialog, and Esc gives it back to what opened it.', () => {
  passage.open(source(1), opener, deferred().promise);
  assert.equal(document.activeElement, shown('h2'));
  press(shown('h2'), 'Escape');
  assert.ok(!dialog.open);
  assert.equal(document.activeElement, opener);
});

const TEXTS = [
  ['One.\n\nTwo\nlines.', ['paragraph:One.', 'paragraph:Two\nlines.']],
  [
    'Say:\n\n```sh\na | b\n\n# c\n```\n\nDone.',
    ['paragraph:Say:', 'code_block:a | b\n\n# c', 'paragraph:Done.'],
  ],
  ['````md\n```\ninner\n```\n````', ['code_block:```\ninner\n```']],
  ['```\nopen', ['code_block:open']],
  ['# not *a* [heading](x)', ['paragraph:# not *a* [heading](x)']],
  ['', []],
];
for (const [stored, expected] of TEXTS) {
  test(`The stored text ${JSON.stringify(stored)} is ${expected.length} blocks; only fences have a meaning.`, () => {
    const blocks = passageBlocks(stored).map(
      ({ type, text: code, children }) => `${type}:${code ?? children[0].text}`,
    );
    assert.deepEqual(blocks, expected);
  });
}
