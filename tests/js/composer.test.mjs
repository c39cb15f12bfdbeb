import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { click, freshDocument, press } from './dom.mjs';

const { Composer } = await import('../../site/js/composer.js');
const { stringsFor } = await import('../../site/js/strings.js');

let asked;
let stops;
let taken;
let composer;
const box = () => document.querySelector('textarea');
const button = (name) =>
  [...document.querySelectorAll('button')].find(({ textContent }) => textContent === name);

beforeEach(() => {
  asked = [];
  stops = 0;
  taken = true;
  const form = document.createElement('form');
  freshDocument().append(form);
  composer = new Composer(form, stringsFor(), {
    ask: (question) => {
      asked.push(question);
      return taken;
    },
    stop: () => {
      stops += 1;
    },
  });
  composer.text = '  How long?\n';
});

test('The box is named "Ask a question".', () =>
  assert.equal(box().getAttribute('aria-label'), 'Ask a question'));

const KEYS = [
  ['Enter sends', 'Enter', {}, 1],
  ['Shift+Enter breaks the line', 'Enter', { shiftKey: true }, 0],
  ['Enter that ends a composition does not send', 'Enter', { isComposing: true }, 0],
  ['Enter as Safari reports it after a composition does not send', 'Enter', { keyCode: 229 }, 0],
  ['Another key does not send', 'a', {}, 0],
];
for (const [rule, key, options, sent] of KEYS) {
  test(`${rule}.`, () => {
    const event = press(box(), key, options);
    assert.deepEqual([asked.length, event.defaultPrevented], [sent, sent === 1]);
  });
}

test('A question is sent without the blanks around it, and the box is empty then.', () => {
  press(box(), 'Enter');
  assert.deepEqual([asked, composer.text], [['How long?'], '']);
});

test('A question that is refused stays in the box.', () => {
  taken = false;
  press(box(), 'Enter');
  assert.equal(composer.text, '  How long?\n');
});

test('An empty box asks nothing.', () => {
  composer.text = ' \n';
  press(box(), 'Enter');
  assert.deepEqual(asked, []);
});

test('While an answer is written, Stop stands in the place of Ask.', () => {
  composer.setRunning(true);
  assert.deepEqual([button('Ask').hidden, button('Stop').hidden], [true, false]);
  click(button('Stop'));
  assert.equal(stops, 1);
  composer.setRunning(false);
  assert.deepEqual([button('Ask').hidden, button('Stop').hidden], [false, true]);
});
