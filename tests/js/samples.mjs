/** Small frames and records of our own. */

export const text = (value) => ({ type: 'text', text: value });
export const cite = (...numbers) => ({ type: 'cite', numbers, raw: `[${numbers.join(', ')}]` });
export const paragraph = (...children) => ({ type: 'paragraph', children });

export const source = (n, title = 'Retention', headings = ['Retention', 'How long']) => ({
  n,
  chunk: `chunk-${n}`,
  source: 'gauge',
  path: `${title.toLowerCase()}.md`,
  url: `https://docs.example/${title.toLowerCase()}/#how-long`,
  title,
  heading_path: headings,
  text: `Text of passage ${n}.`,
  quote: '',
  cosine: 0.5,
  via: 'search',
});

export const chip = (page, numbers) => ({
  path: page.path,
  url: page.url,
  title: page.title,
  heading_path: page.heading_path,
  numbers,
  opens: page.n,
});

export const related = (title) => ({
  source: 'gauge',
  path: `${title}.md`,
  url: `https://docs.example/${title}/`,
  title,
  heading_path: [title],
  chunk: `chunk-${title}`,
  text: `Text of ${title}.`,
  cosine: 0.2,
});

const IDS = { conversation: 'c-1', turn: 't-1' };
const SOURCES = [source(1), source(2, 'Export', ['Export'])];
const CHIPS = [chip(SOURCES[0], [1]), chip(SOURCES[1], [])];

/** An answer in three patches: a mark before its source is known, a block that is replaced, two numbers. */
export const FRAMES = [
  { ...IDS, type: 'turn', seq: 1, question: 'How long?', mode: null, replaces: false },
  { ...IDS, type: 'mode', mode: 'agent' },
  { ...IDS, type: 'step', step: { kind: 'search', text: 'retention', at: 1 } },
  { ...IDS, type: 'answer', from: 0, blocks: [paragraph(text('Thirty '))] },
  {
    ...IDS,
    type: 'answer',
    from: 0,
    blocks: [paragraph(text('Thirty days'), cite(1)), paragraph(text('So'))],
  },
  { ...IDS, type: 'sources', sources: SOURCES, chips: CHIPS },
  { ...IDS, type: 'answer', from: 1, blocks: [paragraph(text('See'), cite(1, 9))] },
  { ...IDS, type: 'sources', sources: SOURCES, chips: CHIPS },
  {
    ...IDS,
    type: 'done',
    status: 'done',
    related: [related('backup')],
    stopped: false,
    deflected: false,
    label: null,
    inherited_from: null,
    restores: false,
  },
];

/** The record that is stored when those frames have been sent. */
export const RECORD = {
  version: 1,
  id: 't-1',
  conversation: 'c-1',
  seq: 1,
  question: 'How long?',
  asked_at: 1,
  status: 'done',
  mode: 'agent',
  answer: 'Thirty days[1]\n\nSee[1, 9]',
  blocks: [paragraph(text('Thirty days'), cite(1)), paragraph(text('See'), cite(1, 9))],
  sources: SOURCES,
  chips: CHIPS,
  related: [related('backup')],
  steps: [{ kind: 'search', text: 'retention', at: 1 }],
  label: null,
  error: null,
  inherited_from: null,
  stopped: false,
  deflected: false,
  active: 0,
  versions: [],
  exchange: [],
};
