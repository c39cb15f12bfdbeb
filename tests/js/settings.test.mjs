import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { click, freshDocument, settled } from './dom.mjs';

const { EndpointChoice } = await import('../../site/js/endpoint.js');
const { SettingsDialog } = await import('../../site/js/settings.js');
const { stringsFor } = await import('../../site/js/strings.js');

let calls;
let choice;
let stored;
const labelled = (name) => {
  const label = [...document.querySelectorAll('label')].find(({ textContent }) => textContent === name);
  return document.getElementById(label.getAttribute('for'));
};
const button = (name) =>
  [...document.querySelectorAll('button')].find(({ textContent }) => textContent === name);
const type = (name, value) => {
  const field = labelled(name);
  field.value = value;
  field.dispatchEvent(new Event('input', { bubbles: true }));
};
const note = (name) => document.getElementById(labelled(name).getAttribute('aria-describedby')).textContent;
const result = () => document.querySelector('.result').textContent;
const save = async () => {
  document.querySelector('form').dispatchEvent(new Event('submit', { cancelable: true }));
  await settled();
};

beforeEach(() => open({ settings: {}, endpoint_fixed: false }));

async function open(config) {
  calls = [];
  stored = {};
  const store = {
    getSetting: async (name) => stored[name],
    setSetting: async (name, value) => {
      stored[name] = structuredClone(value);
    },
  };
  choice = new EndpointChoice(store, config, 'https://docs.example/ask/', null);
  await choice.load();
  const dialog = document.createElement('dialog');
  freshDocument().append(dialog);
  const settings = new SettingsDialog(dialog, stringsFor(), choice, {
    test: async (endpoint) => {
      calls.push(endpoint);
      return { ok: false, message: 'Refused.', next: 'Check the key.', url: '' };
    },
    preview: async (question) => ({
      host: 'a.example',
      tokens: 1,
      messages: [{ role: 'user', content: question }],
    }),
    question: () => 'How long?',
    changed: () => calls.push('changed'),
    exportAll: async (kind) => calls.push(kind),
    deleteAll: async () => calls.push('deleted'),
  });
  settings.open();
}

test('The address says where requests will go, and the key whom it is for.', () => {
  type('Base URL', 'https://a.example/v1/');
  assert.equal(note('Base URL'), 'Requests go to https://a.example/v1/chat/completions');
  assert.equal(note('API key'), 'A key is sent to a.example and nowhere else.');
  type('Base URL', 'http://nas.local/v1');
  assert.match(note('Base URL'), /for this computer only/);
  type('Base URL', 'a.example');
  assert.match(note('Base URL'), /“a.example” is not an http/);
});

test('Save keeps what was typed and closes; the key is not shown again, and is said to be kept.', async () => {
  type('Base URL', 'https://a.example/v1');
  type('Model', 'm');
  type('API key', 'sk-a');
  await save();
  assert.deepEqual([document.querySelector('dialog').open, calls], [false, ['changed']]);
  assert.deepEqual(choice.endpoint, { base_url: 'https://a.example/v1', model: 'm', key: 'sk-a' });
  assert.equal(labelled('API key').value, '');
  assert.match(note('API key'), /^A key for a.example is kept/);
  assert.doesNotMatch(JSON.stringify(stored), /sk-a/);
});

test('A new address does not take the old key with it, nor does a test of it.', async () => {
  type('Base URL', 'https://a.example/v1');
  type('API key', 'sk-a');
  await save();
  type('Base URL', 'https://b.example/v1');
  assert.equal(note('API key'), 'A key is sent to b.example and nowhere else.');
  click(button('Test connection'));
  await settled();
  assert.deepEqual([calls.at(-1).key, result()], ['', 'Refused. Check the key.']);
});

test('"Remember on this device" puts the key into the store; "Forget the key" takes it out.', async () => {
  type('Base URL', 'https://a.example/v1');
  type('API key', 'sk-a');
  labelled('Remember on this device').checked = true;
  await save();
  assert.match(JSON.stringify(stored), /sk-a/);
  click(button('Forget the key'));
  await settled();
  assert.doesNotMatch(JSON.stringify(stored), /sk-a/);
});

test('A bad address is not saved.', async () => {
  type('Base URL', 'javascript:alert(1)');
  await save();
  assert.deepEqual([choice.endpoint, calls], [null, []]);
});

test('What will be sent is shown as the messages, before anything is sent.', async () => {
  type('Base URL', 'https://a.example/v1');
  click(button('Show it for this question'));
  await settled();
  assert.match(
    document.querySelector('.preview').textContent,
    /1 message, about 1 token, to a\.example\..*How long\?/s,
  );
});

test('Delete all asks once more, and forgets that it did when the reader goes elsewhere.', async () => {
  click(button('Delete all'));
  const sure = button('Delete all conversations for good');
  sure.dispatchEvent(new Event('blur'));
  click(button('Delete all'));
  assert.deepEqual(calls, []);
  click(button('Delete all conversations for good'));
  await settled();
  assert.deepEqual(calls, ['deleted']);
});

test('Where the endpoint is fixed, another one is neither tested nor saved.', async () => {
  await open({ settings: { base_url: 'https://a.example/v1', model: 'm' }, endpoint_fixed: true });
  type('Base URL', 'https://b.example/v1');
  assert.match(note('Base URL'), /from a\.example alone/u);
  click(button('Test connection'));
  await save();
  assert.match(result(), /from a\.example alone/u);
  assert.deepEqual([choice.baseUrl, stored, calls], ['https://a.example/v1', {}, []]);
});
