import assert from 'node:assert/strict';
import { test } from 'node:test';
import './dom.mjs';

const { addressFault, EndpointChoice, finalAddress, isThisComputer } = await import(
  '../../site/js/endpoint.js'
);

const BASE = 'https://docs.example/ask/';
const A = { base_url: 'https://a.example/v1', model: 'm' };
const B = { base_url: 'https://b.example/v1', model: 'm' };

/** A store and a session in memory; what was written to them can be read. */
function memory() {
  const settings = {};
  const held = {};
  return {
    settings,
    held,
    store: {
      getSetting: async (name) => settings[name],
      setSetting: async (name, value) => {
        settings[name] = structuredClone(value);
      },
    },
    session: {
      getItem: (name) => held[name] ?? null,
      setItem: (name, value) => {
        held[name] = value;
      },
    },
  };
}

async function visit({ store, session }, settings = {}, endpoint_fixed = false) {
  const choice = new EndpointChoice(store, { settings, endpoint_fixed }, BASE, session);
  await choice.load();
  return choice;
}

test('Without an address there is no endpoint, and answers are passages.', async () => {
  assert.equal((await visit(memory())).endpoint, null);
});

test("The maintainer's address is the default; the reader's choice, also of none, goes before it.", async () => {
  const kept = memory();
  const first = await visit(kept, A);
  assert.deepEqual(first.endpoint, { ...A, key: '' });
  await first.choose({ base_url: '', model: '', key: '', remember: false });
  assert.equal((await visit(kept, A)).endpoint, null);
});

test('A fixed endpoint is asked, or none; another one, chosen before it was fixed, is not.', async () => {
  const kept = memory();
  await (await visit(kept)).choose({ ...B, key: 'sk-b', remember: false });
  const choice = await visit(kept, A, true);
  assert.deepEqual(choice.endpoint, { ...A, key: '' });
  assert.equal(choice.fixedHost, 'a.example');
  const faults = ['', 'https://a.example/v2', B.base_url, 'http://a.example/v1', 'no address'].map(
    (address) => choice.faultOf(address),
  );
  assert.deepEqual(faults, [null, null, 'other', 'other', 'bad']);
  await choice.choose({ base_url: '', model: '', key: '', remember: false });
  assert.equal((await visit(kept, A, true)).endpoint, null);
});

test('A key is given to the origin it was typed for, and to no other.', async () => {
  const choice = await visit(memory());
  await choice.choose({ ...A, key: 'sk-a', remember: false });
  await choice.choose({ ...B, key: '', remember: false });
  assert.equal(choice.endpoint.key, '');
  await choice.choose({ base_url: 'https://a.example/other/v2', model: 'm', key: '', remember: false });
  assert.equal(choice.endpoint.key, 'sk-a');
  for (const near of [
    'http://a.example/v1',
    'https://a.example:8443/v1',
    'https://a.example.evil.example/v1',
  ]) {
    assert.equal(choice.keyFor(near), '', near);
  }
});

test('A key lives in this session, and in the store only if the reader says so.', async () => {
  const kept = memory();
  await (await visit(kept)).choose({ ...A, key: 'sk-a', remember: false });
  assert.doesNotMatch(JSON.stringify(kept.settings), /sk-a/);
  assert.equal((await visit(kept)).endpoint.key, 'sk-a');
  assert.equal((await visit({ ...kept, session: memory().session })).endpoint.key, '');

  await (await visit(kept)).choose({ ...A, key: '', remember: true });
  assert.doesNotMatch(JSON.stringify(kept.held), /sk-a/);
  assert.equal((await visit({ ...kept, session: memory().session })).endpoint.key, 'sk-a');

  await (await visit(kept)).choose({ ...A, key: '', remember: false });
  assert.doesNotMatch(JSON.stringify(kept.settings), /sk-a/);
});

test('A key that is forgotten is nowhere.', async () => {
  const kept = memory();
  const choice = await visit(kept);
  await choice.choose({ ...A, key: 'sk-a', remember: true });
  await choice.forgetKey(A.base_url);
  assert.doesNotMatch(JSON.stringify([kept.settings, kept.held]), /sk-a/);
  assert.equal(choice.endpoint.key, '');
});

test('Where session storage is denied, a key lives as long as the page.', async () => {
  const denied = {
    getItem() {
      throw new Error('denied');
    },
    setItem() {
      throw new Error('denied');
    },
  };
  const choice = await visit({ ...memory(), session: denied });
  await choice.choose({ ...A, key: 'sk-a', remember: false });
  assert.equal(choice.endpoint.key, 'sk-a');
});

const FAULTS = [
  ['', null],
  ['https://a.example/v1', null],
  ['http://localhost:11434/v1', null],
  ['http://127.0.0.1:8080', null],
  ['http://nas.local/v1', 'plain'],
  ['a.example/v1', 'bad'],
  ['ftp://a.example', 'bad'],
  ['javascript:alert(1)', 'bad'],
  ['https://user:pass@a.example/v1', 'bad'],
];
for (const [address, fault] of FAULTS) {
  test(`The address "${address}" is ${fault ?? 'good'}.`, () => assert.equal(addressFault(address), fault));
}

const FINAL = [
  ['https://a.example/v1', 'https://a.example/v1/chat/completions'],
  ['https://a.example/v1/', 'https://a.example/v1/chat/completions'],
  ['https://a.example//v1/chat/completions', 'https://a.example/v1/chat/completions'],
  ['http://localhost:11434', 'http://localhost:11434/v1/chat/completions'],
  ['https://a.example/api?version=1', 'https://a.example/api/chat/completions?version=1'],
];
for (const [address, final] of FINAL) {
  test(`Requests for ${address} go to ${final}.`, () => assert.equal(finalAddress(address), final));
}

test('Only this computer counts as reachable offline.', () => {
  const local = ['http://localhost:1', 'http://x.localhost', 'http://127.8.0.1', 'http://[::1]:1'];
  const remote = ['https://a.example', 'http://192.168.0.2', 'http://localhost.evil.example', 'nonsense'];
  assert.deepEqual([...local, ...remote].map(isThisComputer), [
    ...local.map(() => true),
    ...remote.map(() => false),
  ]);
});
