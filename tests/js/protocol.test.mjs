import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyFrame, isTerminal, keepingParts, pendingTurn, readRecord } from '../../site/js/protocol.js';
import { FRAMES, paragraph, RECORD, text } from './samples.mjs';

const play = (frames) => frames.reduce(applyFrame, pendingTurn('c-1', 'How long?'));

test('The record that the frames leave is the one that is stored, but for what only the store knows.', () => {
  const { answer: _, asked_at: __, exchange: ___, ...stored } = RECORD;
  const { answer: ____, asked_at: _____, ...live } = play(FRAMES);
  assert.deepEqual(live, stored);
});

test('A turn is pending until text comes, streaming until its last frame, then as that frame says.', () => {
  const statuses = FRAMES.map((_, at) => play(FRAMES.slice(0, at + 1)).status);
  const [pending, streaming] = ['pending', 'streaming'];
  assert.deepEqual(statuses, [...Array(3).fill(pending), ...Array(5).fill(streaming), 'done']);
});

test('A patch keeps the blocks before it by identity, and drops those after it.', () => {
  const before = play(FRAMES.slice(0, 5));
  const after = applyFrame(before, { ...FRAMES[3], from: 1, blocks: [] });
  assert.equal(after.blocks[0], before.blocks[0]);
  assert.equal(after.blocks.length, 1);
});

test('A failed turn keeps its text and its sources.', () => {
  const failure = { code: 'interrupted', message: 'Cut.', next: 'Retry.' };
  const { status, error, blocks, sources } = applyFrame(play(FRAMES.slice(0, 8)), {
    ...FRAMES[0],
    type: 'error',
    ...failure,
  });
  assert.deepEqual({ status, error }, { status: 'failed', error: failure });
  assert.equal(blocks.length, 2);
  assert.equal(sources.length, 2);
});

test('An answer that is written again starts empty and keeps its earlier versions.', () => {
  const versions = [{ answer: 'one' }, { answer: 'two' }];
  const again = applyFrame({ ...RECORD, versions, active: 1 }, { ...FRAMES[0], replaces: true });
  assert.deepEqual([again.versions, again.active, again.blocks, again.related], [versions, 1, [], []]);
});

test('Frames of an unknown kind change nothing.', () => {
  const record = play(FRAMES);
  assert.equal(applyFrame(record, { ...FRAMES[0], type: 'confetti' }), record);
});

test('Only done and error are last.', () => {
  assert.deepEqual(FRAMES.filter(isTerminal), FRAMES.slice(-1));
  assert.ok(isTerminal({ type: 'error' }));
});

test('Fields that older records lack take their defaults; unknown ones are kept.', () => {
  const old = readRecord({ id: 't', conversation: 'c', question: 'q', status: 'done', mood: 'calm' });
  assert.deepEqual([old.related, old.chips, old.versions, old.error, old.mood], [[], [], [], null, 'calm']);
});

test('A record of a newer version is refused.', () => {
  assert.equal(readRecord({ ...RECORD, version: 2 }), null);
});

test('What reads the same stays the very same part, so that it is not drawn again.', () => {
  const live = play(FRAMES);
  const stored = structuredClone(RECORD);
  stored.blocks[1] = paragraph(text('Other.'));
  const kept = keepingParts(live, stored);
  assert.equal(kept.blocks[0], live.blocks[0]);
  assert.equal(kept.blocks[1], stored.blocks[1]);
  assert.equal(kept.sources, live.sources);
  assert.equal(kept.answer, RECORD.answer);
});
