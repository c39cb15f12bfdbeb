import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { deferred, settled } from './dom.mjs';
import { FRAMES, RECORD } from './samples.mjs';

const { Answering } = await import('../../site/js/answering.js');
const { stringsFor } = await import('../../site/js/strings.js');

const strings = stringsFor();
let engine;
let stored;
let drawn;
let withdrawn;
let answering;

beforeEach(() => {
  const ready = deferred();
  const calls = [];
  engine = {
    ready: ready.promise,
    start: ready.resolve,
    fail: ready.reject,
    calls,
    /** Each call waits for its test. */
    call: (name, payload) => {
      const call = { name, payload, ...deferred() };
      calls.push(call);
      return call.promise;
    },
  };
  stored = [];
  drawn = [];
  withdrawn = [];
  answering = new Answering(
    engine,
    {
      turns: async () => structuredClone(stored),
      endpoint: () => null,
      online: () => true,
      changed: (record) => drawn.push(record),
      started() {},
      ended() {},
      withdrawn: (...given) => withdrawn.push(given),
    },
    strings,
  );
});

const last = () => drawn.at(-1);

test('A question that is typed early waits, and is asked when Python is ready.', async () => {
  answering.ask('c-1', 'How long?', { isNew: true });
  await settled();
  assert.deepEqual([engine.calls.length, last().status, last().question], [0, 'pending', 'How long?']);
  engine.start();
  await settled();
  const { name, payload } = engine.calls[0];
  assert.deepEqual(
    [name, payload],
    ['ask', { conversation: 'c-1', question: 'How long?', new: true, endpoint: null, offline: false }],
  );
});

test('A waiting question that is stopped goes back to the reader and is never asked.', async () => {
  answering.ask('c-1', 'How long?');
  await answering.stop('c-1');
  engine.start();
  await settled();
  assert.deepEqual([withdrawn, engine.calls.length], [[['c-1', 'How long?', null]], 0]);
});

test('Where Python does not start, the question goes back with the reason.', async () => {
  answering.ask('c-1', 'How long?');
  engine.fail(new Error('no memory.'));
  await settled();
  assert.equal(withdrawn[0][2].message, 'no memory.');
});

test('Frames are drawn as they come, and what is stored is drawn at the end.', async () => {
  engine.start();
  answering.ask('c-1', 'How long?');
  await settled();
  stored = [RECORD];
  for (const frame of FRAMES) answering.take(frame);
  assert.ok(!answering.isRunning('c-1'));
  await settled();
  assert.equal(last().answer, RECORD.answer);
  const live = drawn.at(-2);
  assert.equal(last().blocks[0], live.blocks[0]);
});

test('Frames of other conversations, and those after the last, change nothing.', async () => {
  engine.start();
  answering.ask('c-1', 'How long?');
  await settled();
  answering.take({ ...FRAMES[0], conversation: 'c-2' });
  assert.equal(drawn.length, 1);
  for (const frame of FRAMES) answering.take(frame);
  await settled();
  const { length } = drawn;
  answering.take(FRAMES[3]);
  assert.equal(drawn.length, length);
});

test('A question that the engine refuses was not begun: it goes back, and nothing of it stays.', async () => {
  engine.start();
  answering.ask('c-1', 'And then?');
  await settled();
  const refusal = { code: 'answer_running', message: 'Another answer is being written.', next: 'Wait.' };
  answering.take({ ...FRAMES[0], turn: 't-9', seq: 0 });
  answering.take({ ...FRAMES[5], turn: 't-9', sources: [], chips: [] });
  answering.take({ type: 'error', conversation: 'c-1', turn: 't-9', stored: false, ...refusal });
  assert.equal(withdrawn[0][2].code, 'answer_running');
  assert.equal(drawn.length, 1);
  assert.ok(!answering.isRunning('c-1'));
});

test('A refused attempt leaves the answer that stood there, with the reason under it.', async () => {
  engine.start();
  answering.again('regenerate', RECORD);
  await settled();
  answering.take({ ...FRAMES[0], turn: 't-9', seq: 0 });
  answering.take({
    type: 'error',
    conversation: 'c-1',
    turn: 't-9',
    code: 'answer_running',
    message: 'M',
    next: 'N',
  });
  assert.deepEqual([last().blocks, last().error.code], [RECORD.blocks, 'answer_running']);
});

test('A failed attempt at a new version shows the old one again, and why.', async () => {
  engine.start();
  stored = [RECORD];
  answering.again('regenerate', RECORD);
  await settled();
  assert.deepEqual([engine.calls[0].name, engine.calls[0].payload.turn], ['regenerate', 't-1']);
  answering.take({ ...FRAMES[0], replaces: true });
  assert.deepEqual(last().blocks, []);
  answering.take({ ...FRAMES[5], sources: [], chips: [] });
  answering.take({
    type: 'error',
    conversation: 'c-1',
    turn: 't-1',
    code: 'unreachable',
    message: 'M',
    next: 'N',
    restores: true,
  });
  await settled();
  assert.deepEqual([last().status, last().blocks, last().error.code], ['done', RECORD.blocks, 'unreachable']);
});

test('An answer that could not be stored stays on screen.', async () => {
  engine.start();
  answering.ask('c-1', 'How long?');
  await settled();
  for (const frame of FRAMES.slice(0, -1)) answering.take(frame);
  answering.take({
    type: 'error',
    conversation: 'c-1',
    turn: 't-1',
    code: 'not_saved',
    message: 'M',
    next: 'N',
    stored: false,
  });
  await settled();
  assert.deepEqual([last().status, last().blocks.length, last().error.code], ['failed', 2, 'not_saved']);
});

for (const [how, end] of [
  ['throws', (call) => call.reject(new Error('memory access out of bounds'))],
  ['returns without a last frame', (call) => call.resolve({ turn: 't-1' })],
]) {
  test(`An engine that ${how} ends the turn as failed, its text kept.`, async () => {
    engine.start();
    answering.ask('c-1', 'How long?');
    await settled();
    for (const frame of FRAMES.slice(0, 5)) answering.take(frame);
    end(engine.calls[0]);
    await settled();
    assert.deepEqual([last().status, last().error.code, last().blocks.length], ['failed', 'interrupted', 2]);
  });
}

test('Stop is passed on once the engine has the question; the turn ends with its own last frame.', async () => {
  engine.start();
  answering.ask('c-1', 'How long?');
  await settled();
  answering.take(FRAMES[0]);
  answering.stop('c-1');
  assert.deepEqual([engine.calls[1].name, engine.calls[1].payload], ['stop', { conversation: 'c-1' }]);
  assert.ok(answering.isRunning('c-1'));
});

test('Conversations are answered side by side; in one, the next call waits for the end of the last.', async () => {
  engine.start();
  answering.ask('c-1', 'a');
  answering.ask('c-2', 'b');
  await settled();
  assert.equal(engine.calls.length, 2);
  for (const frame of FRAMES) answering.take(frame);
  answering.ask('c-1', 'c');
  await settled();
  assert.equal(engine.calls.length, 2);
  engine.calls[0].resolve({ turn: 't-1' });
  await settled();
  assert.equal(engine.calls[2].payload.question, 'c');
});

test('The passages are asked for without the endpoint.', async () => {
  engine.start();
  answering.ask('c-1', 'a', { fromPassages: true });
  await settled();
  assert.equal(engine.calls[0].payload.endpoint, null);
});
