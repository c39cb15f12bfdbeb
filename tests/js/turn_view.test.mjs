import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { click, freshDocument } from './dom.mjs';
import { cite, FRAMES, paragraph, RECORD, related, source, text } from './samples.mjs';

const { TurnView } = await import('../../site/js/turn_view.js');
const { applyFrame, pendingTurn } = await import('../../site/js/protocol.js');
const { stringsFor } = await import('../../site/js/strings.js');

let calls;
const actions = new Proxy(
  {},
  {
    get:
      (_, name) =>
      (...given) =>
        calls.push([name, ...given]),
  },
);
const view = (record) => {
  const made = new TurnView(record, stringsFor(), actions);
  document.body.append(made.element);
  return made;
};
const find = (selector) => document.body.querySelector(selector);
const texts = (selector) =>
  [...document.body.querySelectorAll(selector)].map(({ textContent }) => textContent);
const names = () => texts('button').filter((name) => !/^\d+$/.test(name));

beforeEach(() => {
  calls = [];
  freshDocument();
});

test('A turn has the structure that host pages and tests may rely on.', () => {
  view(RECORD);
  const { turn, status, mode } = find('article.turn').dataset;
  assert.deepEqual([turn, status, mode], ['t-1', 'done', 'agent']);
  assert.deepEqual(texts('.question'), ['How long?']);
  assert.deepEqual(texts('.step'), ['Searched retention']);
  assert.deepEqual(texts('.answer > p'), ['Thirty days1', 'See19']);
  assert.deepEqual(texts('.source-chip .chip-numbers'), ['1', '']);
  assert.equal(find('a.source-chip').getAttribute('href'), 'https://docs.example/retention/#how-long');
  assert.deepEqual(texts('.msg-meta.related-docs a[href].related-doc'), ['backup']);
  assert.match(find('.related-docs').textContent, /^Nearby docs, in case: /);
  assert.equal(find('.related-docs .source-chip'), null);
  assert.equal(find('.no-sources'), null);
  assert.equal(find('.turn-error'), null);
});

test('A turn drawn frame by frame is the turn drawn from its record.', () => {
  const live = view(pendingTurn('c-1', 'How long?'));
  let record = live.record;
  for (const frame of FRAMES) {
    record = applyFrame(record, frame);
    live.update(record);
  }
  const stored = new TurnView(RECORD, stringsFor(), actions);
  assert.equal(live.element.outerHTML, stored.element.outerHTML);
});

test('One button a number; a number without a source is muted and does nothing.', () => {
  view(RECORD);
  const marks = [...document.querySelectorAll('button.cite')];
  assert.deepEqual(
    marks.map(({ dataset }) => dataset.n),
    ['1', '1', '9'],
  );
  assert.deepEqual(
    marks.map(({ disabled }) => disabled),
    [false, false, true],
  );
  assert.deepEqual(
    marks.map(({ classList }) => classList.contains('cite-unresolved')),
    [false, false, true],
  );
  assert.equal(marks[0].getAttribute('aria-label'), 'Source 1: Retention, How long');
});

test('A mark that was muted lights up when its source comes, without being drawn again.', () => {
  const made = view({ ...RECORD, status: 'streaming', sources: [], chips: [] });
  const mark = find('button.cite');
  assert.ok(mark.disabled);
  made.update({ ...made.record, sources: [source(1)] });
  assert.equal(find('button.cite'), mark);
  assert.ok(!mark.disabled);
});

test('A patch leaves the blocks before it alone.', () => {
  const made = view({ ...RECORD, status: 'streaming' });
  const first = find('.answer > p');
  made.update({ ...made.record, blocks: [made.record.blocks[0], paragraph(text('New.'))] });
  assert.equal(find('.answer > p'), first);
  assert.deepEqual(texts('.answer > p'), ['Thirty days1', 'New.']);
});

test('A mark opens its source and says which of its marks it is; a chip opens what its record says.', () => {
  view(RECORD);
  click(document.querySelectorAll('button.cite[data-n="1"]')[1]);
  click(find('.source-chip'));
  click(find('.related-doc'));
  const [mark, chip, nearby] = calls;
  assert.deepEqual([mark[0], mark[2], mark[3]], ['openSource', 1, 1]);
  assert.deepEqual([chip[0], chip[2], chip[3]], ['openSource', 1, null]);
  assert.deepEqual([nearby[0], nearby[2].title], ['openRelated', 'backup']);
});

test('A click with a modifier follows the address of a chip instead.', () => {
  view(RECORD);
  for (const key of ['ctrlKey', 'metaKey', 'shiftKey', 'altKey']) {
    assert.ok(click(find('.source-chip'), { [key]: true }), key);
  }
  assert.ok(!click(find('.source-chip')));
  assert.equal(calls.length, 1);
});

test('An address that may not be a link gives a chip without one, which still opens the passage.', () => {
  view({ ...RECORD, chips: [{ ...RECORD.chips[0], url: 'javascript:alert(1)' }] });
  assert.equal(find('.source-chip').getAttribute('href'), null);
  click(find('.source-chip'));
  assert.equal(calls.length, 1);
});

test('The pointer on a mark lights up its footnote and its other marks, and the other way round.', () => {
  view(RECORD);
  const [first, second, other] = document.querySelectorAll('button.cite');
  const over = (node, type) => node.dispatchEvent(new Event(type, { bubbles: true }));
  over(first, 'mouseover');
  assert.deepEqual(texts('.lit.source-chip .chip-numbers'), ['1']);
  assert.ok(second.classList.contains('lit') && !other.classList.contains('lit'));
  over(first, 'mouseout');
  assert.equal(find('.lit'), null);
  over(find('.source-chip'), 'focusin');
  assert.ok(first.classList.contains('lit'));
});

const LABEL = 'No sources cited';
for (const [status, shown] of [
  ['pending', false],
  ['streaming', false],
  ['done', true],
  ['deflected', true],
  ['stopped', true],
]) {
  test(`The label is ${shown ? '' : 'not '}shown on a turn that is ${status}.`, () => {
    view({ ...RECORD, status, label: LABEL });
    assert.deepEqual(texts('.no-sources'), shown ? [LABEL] : []);
  });
}

test('A deflected turn has its text, its label and nearby docs, and no chip.', () => {
  const blocks = [paragraph(text('The documentation does not cover this.'))];
  view({
    ...RECORD,
    status: 'deflected',
    blocks,
    sources: [],
    chips: [],
    label: LABEL,
    related: [related('a'), related('b')],
  });
  assert.equal(find('.source-chip'), null);
  assert.equal(texts('.related-doc').length, 2);
  assert.deepEqual(texts('.no-sources'), [LABEL]);
});

test('A failed turn keeps its text, names its code, and offers to retry and the passages.', () => {
  view({
    ...RECORD,
    status: 'failed',
    error: { code: 'unreachable', message: 'No answer.', next: 'Check.' },
  });
  assert.equal(find('.turn-error').dataset.code, 'unreachable');
  assert.deepEqual(texts('.turn-error p'), ['No answer.', 'Check.']);
  assert.deepEqual(texts('.answer > p').length, 2);
  for (const way of document.querySelectorAll('.turn-error button')) click(way);
  assert.deepEqual(
    calls.map(([name]) => name),
    ['retry', 'passages'],
  );
  assert.deepEqual(names(), ['Retry', 'Show passages instead']);
});

test('Regenerate and Copy stand under the last answer only, and not while it is written.', () => {
  const made = view(RECORD);
  assert.deepEqual(names(), []);
  made.setLast(true);
  assert.deepEqual(names(), ['Regenerate', 'Copy']);
  made.update({ ...RECORD, status: 'streaming' });
  assert.deepEqual(names(), []);
  made.update(RECORD);
  made.setLast(false);
  assert.deepEqual(names(), []);
});

test('Versions are switched one by one, within their number.', () => {
  const made = view({ ...RECORD, active: 1, versions: [{}, {}] });
  made.setLast(true);
  const [earlier, later] = document.querySelectorAll('.versions button');
  assert.match(find('.versions').textContent, /Version 2 of 2/);
  assert.ok(later.disabled);
  click(earlier);
  assert.deepEqual([calls[0][0], calls[0][2]], ['switchVersion', 0]);
});

test('A chip is one line: title, then the middle of the path, then its end, the title never twice.', () => {
  const places = [
    ['Guide', ['Guide'], ['Guide']],
    ['Guide', ['Guide', 'Part'], ['Guide', ' › Part']],
    ['Guide', ['Other', 'Mid', 'End'], ['Guide', ' › Other › Mid', ' › End']],
  ];
  for (const [title, heading_path, parts] of places) {
    freshDocument();
    view({ ...RECORD, chips: [{ ...RECORD.chips[0], title, heading_path }] });
    assert.deepEqual(texts('.chip-place > *'), parts);
  }
});

test('Steps fold into one line that names three of them.', () => {
  const step = (kind, words) => ({ kind, text: words, at: 0 });
  view({
    ...RECORD,
    steps: [step('search', 'a'), step('read', 'B'), step('refused', 'It asked twice.'), step('search', 'c')],
  });
  assert.equal(find('.steps summary').textContent, 'Searched a, read B, It asked twice., and 1 more step');
  assert.deepEqual(texts('.step'), ['Searched a', 'Read B', 'It asked twice.', 'Searched c']);
});

test('An answer whose marks are many numbers draws each of them once a mark.', () => {
  view({ ...RECORD, blocks: [paragraph(cite(1, 2), cite(2))] });
  assert.deepEqual(texts('button.cite'), ['1', '2', '2']);
});
