import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { click, freshDocument, press, settled } from './dom.mjs';

const { ConversationList } = await import('../../site/js/conversations.js');
const { stringsFor } = await import('../../site/js/strings.js');

const CONVERSATIONS = [
  { id: 'c-2', title: 'Retention' },
  { id: 'c-1', title: '' },
];
let calls;
let list;
const titles = () => [...document.querySelectorAll('li a')].map(({ textContent }) => textContent);
const buttons = (name) =>
  [...document.querySelectorAll('button')].filter(({ textContent }) => textContent === name);

beforeEach(() => {
  calls = [];
  const nav = document.createElement('nav');
  freshDocument().append(nav);
  const note =
    (name) =>
    async (...given) => {
      calls.push([name, ...given]);
    };
  list = new ConversationList(nav, stringsFor(), {
    open: note('open'),
    startNew: note('startNew'),
    close: note('close'),
    rename: note('rename'),
    remove: note('remove'),
    search: async (words) => new Set(words === 'keep' ? ['c-1'] : []),
  });
  list.setConversations(CONVERSATIONS);
});

test('Each conversation has its title, Rename and Delete; the open one is marked.', () => {
  list.setCurrent('c-2');
  assert.deepEqual(titles(), ['Retention', 'Untitled']);
  assert.deepEqual([buttons('Rename').length, buttons('Delete').length], [2, 2]);
  assert.equal(document.querySelector('[aria-current]').textContent, 'Retention');
});

test('A click opens one here; with a modifier the browser follows its address.', () => {
  const [link] = document.querySelectorAll('li a');
  assert.equal(link.getAttribute('href'), '#c-2');
  assert.ok(click(link, { ctrlKey: true }));
  assert.ok(!click(link));
  assert.deepEqual(calls, [['open', 'c-2']]);
});

test('New conversation and Delete do what they say at once.', () => {
  click(buttons('New conversation')[0]);
  click(buttons('Delete')[1]);
  assert.deepEqual(calls, [['startNew'], ['remove', 'c-1']]);
});

const NAMES = [
  ['Enter keeps the new name', 'Enter', ' How long ', [['rename', 'c-2', 'How long']]],
  ['Escape keeps the old name', 'Escape', 'How long', []],
  ['An empty name is none', 'Enter', '  ', []],
  ['The same name changes nothing', 'Enter', 'Retention', []],
];
for (const [rule, key, name, expected] of NAMES) {
  test(`Rename turns the title into a field: ${rule}.`, async () => {
    click(buttons('Rename')[0]);
    const input = document.querySelector('input.rename');
    assert.equal(input.value, 'Retention');
    input.value = name;
    press(input, key);
    await settled();
    assert.deepEqual(calls, expected);
    assert.equal(document.querySelector('input.rename'), null);
    assert.equal(document.activeElement, buttons('Rename')[0]);
  });
}

test('A list that is drawn anew does not take away a name that is being typed.', () => {
  click(buttons('Rename')[0]);
  list.setConversations([]);
  assert.ok(document.querySelector('input.rename'));
});

test('A search leaves what it finds, and says so when that is nothing.', async () => {
  const search = document.querySelector('input[type=search]');
  for (const [words, expected, sentence] of [
    ['keep', ['Untitled'], null],
    ['other', [], 'No conversation matches.'],
    ['', ['Retention', 'Untitled'], null],
  ]) {
    search.value = words;
    search.dispatchEvent(new Event('input'));
    await settled();
    const nothing = document.querySelector('.no-conversations');
    assert.deepEqual([titles(), nothing.hidden ? null : nothing.textContent], [expected, sentence]);
  }
});
