import assert from 'node:assert/strict';
import { test } from 'node:test';
import './dom.mjs';
import { RECORD } from './samples.mjs';

const { answerMarkdown, conversationMarkdown, conversationsJson, fileName } = await import(
  '../../site/js/export.js'
);
const { stringsFor } = await import('../../site/js/strings.js');

const strings = stringsFor();

test('An answer is copied as it was written, with the passages that it cites.', () => {
  assert.equal(
    answerMarkdown(RECORD, strings),
    'Thirty days[1]\n\nSee[1, 9]\n\nReferences:\n\n- [1] Retention › How long: <https://docs.example/retention/#how-long>\n',
  );
});

test('Where nothing is cited, the pages of the footnotes are the references.', () => {
  const chips = RECORD.chips.map((chip) => ({ ...chip, numbers: [] }));
  assert.match(
    answerMarkdown({ ...RECORD, chips }, strings),
    /\n- Retention › How long: <.*>\n- Export: <.*>\n$/,
  );
});

test('Without sources there is no list; without the text, the drawn words are copied.', () => {
  assert.equal(
    answerMarkdown({ ...RECORD, chips: [], sources: [], answer: '' }, strings),
    'Thirty days[1]\n\nSee[1, 9]\n',
  );
});

test('A conversation is a heading, its questions, its answers, and what went wrong.', () => {
  const failed = {
    ...RECORD,
    question: 'And\nthen?',
    answer: 'Half',
    chips: [],
    error: { message: 'It broke.' },
  };
  const markdown = conversationMarkdown({ title: 'Keeping', turns: [RECORD, failed] }, strings);
  assert.match(markdown, /^# Keeping\n\n## How long\?\n\nThirty days/);
  assert.match(markdown, /\n## And then\?\n\nHalf\n\n> It broke\.\n$/);
});

test('JSON has every field of the records.', () => {
  const { format, version, conversations } = JSON.parse(
    conversationsJson([{ id: 'c', title: 't', turns: [RECORD] }]),
  );
  assert.deepEqual([format, version, conversations[0].turns[0]], ['ibid-conversations', 1, RECORD]);
});

for (const [title, name] of [
  ['How long? / kept', 'How-long-kept.md'],
  ['…', 'conversation.md'],
  ['Größe 何', 'Größe-何.md'],
]) {
  test(`A file of "${title}" is named ${name}.`, () => assert.equal(fileName(title, 'md'), name));
}
