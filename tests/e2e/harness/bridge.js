/**
 * A stand-in for site/js/bridge.js without Python: it answers from canned frames, chosen by the question.
 * Served in its place by serve.py, never shipped. `?engine=slow|failed` in the address changes its start.
 */
import { openStore } from './store.js';

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const text = (value) => ({ type: 'text', text: value });
const code = (value) => ({ type: 'code', text: value });
const cite = (...numbers) => ({ type: 'cite', numbers, raw: `[${numbers.join(', ')}]` });
const paragraph = (...children) => ({ type: 'paragraph', children });
const item = (...children) => ({ type: 'item', children: [paragraph(...children)] });

const PASSAGE =
  'Raw readings are kept for thirty days. After that a nightly job folds them into hourly means, which are ' +
  'kept for two years.\n\n```toml\n[retention]\nraw = "30d"\nhourly = "2y"\n```\n\nA site may keep raw ' +
  'readings longer by setting `raw`; the disk it needs grows in proportion.';

const SOURCES = [
  source(1, 'guide/retention', 'Retention', ['Retention', 'How long readings are kept'], PASSAGE),
  source(
    2,
    'guide/export',
    'Exporting readings',
    ['Exporting readings', 'Formats', 'Comma-separated values'],
    'Use `gauge export --format csv` to write one row a reading.',
  ),
  source(
    3,
    'guide/retention',
    'Retention',
    ['Retention', 'What the nightly job does'],
    'The nightly job starts at 02:00 in the time zone of the site.',
  ),
];

function source(n, path, title, heading_path, passage) {
  const url = `https://docs.example/${path}/#${heading_path.at(-1).toLowerCase().replaceAll(' ', '-')}`;
  return {
    n,
    chunk: `c${n}`,
    source: 'gauge',
    path,
    url,
    title,
    heading_path,
    text: passage,
    quote: passage.slice(0, 160),
    cosine: 0.6,
    via: 'search',
  };
}

const chip = (page, numbers) => ({
  path: page.path,
  url: page.url,
  title: page.title,
  heading_path: page.heading_path,
  numbers,
  opens: page.n,
});
const RELATED = [
  { ...SOURCES[1], title: 'Backups', heading_path: ['Backups'], path: 'guide/backups', chunk: 'r1' },
  {
    ...SOURCES[1],
    title: 'Command line',
    heading_path: ['Command line', 'gauge export'],
    path: 'reference/cli',
    chunk: 'r2',
  },
];
const STEPS = [
  { kind: 'search', text: 'raw readings', at: 0 },
  { kind: 'read', text: 'Retention', at: 1 },
];
const ANSWER = [
  paragraph(
    text('Raw readings are kept for '),
    { type: 'strong', children: [text('thirty days')] },
    cite(1),
    text('. A nightly job then folds them into hourly means, which stay for two years'),
    cite(1),
    cite(3),
    text('. To keep what is about to go, export it first'),
    cite(2),
    text(':'),
  ),
  {
    type: 'code_block',
    language: 'sh',
    text: 'gauge export --format csv --since 2024-01-01 --until 2024-02-01 --columns time,site,value,unit > january.csv',
  },
  {
    type: 'list',
    ordered: false,
    start: 1,
    children: [
      item(code('raw'), text(' sets how long single readings stay'), cite(1), text(';')),
      item(code('hourly'), text(' sets the same for the means.')),
    ],
  },
  { type: 'heading', level: 2, children: [text('What it costs')] },
  paragraph(
    text('The disk that is needed grows in proportion to '),
    code('raw'),
    text(', so measure before you raise it'),
    cite(4),
    text('. See also '),
    {
      type: 'link',
      href: 'https://elsewhere.example/sizing',
      host: 'elsewhere.example',
      children: [text('a sizing table')],
    },
    text('.'),
  ),
  {
    type: 'table',
    children: [
      row(true, 'Setting', 'Default', 'Unit'),
      row(false, 'raw', '30', 'days'),
      row(false, 'hourly', '2', 'years'),
    ],
  },
];

function row(header, ...cells) {
  return {
    type: 'row',
    children: cells.map((cell, at) => ({
      type: 'cell',
      header,
      align: at === 1 ? 'right' : '',
      children: [text(cell)],
    })),
  };
}

const FAILURE = {
  code: 'unreachable',
  message:
    'http://localhost:11434 gave no response: the server is not running, or it does not allow this page.',
  next: 'Start it with OLLAMA_ORIGINS set to this page’s address, then retry.',
};

export class EngineMissing extends Error {}
export const missingPart = () => null;

export class Bridge {
  #listeners;
  #stopped = new Set();
  #start;

  constructor(_site, listeners) {
    this.#listeners = listeners;
    this.ready = new Promise((resolve, reject) => {
      this.#start = { resolve, reject };
    });
    this.ready.catch(() => {});
  }

  async start() {
    const engine = new URLSearchParams(location.search).get('engine');
    for (let loaded = 1; loaded <= 4; loaded++) {
      this.#listeners.progress({ loaded: loaded * 1.55e6, total: 9.3e6 });
      await wait(20);
    }
    if (engine === 'slow') return;
    if (engine === 'failed')
      this.#start.reject(new Error('the index is damaged (vectors.npy has 12 bytes, 4096 expected).'));
    else this.#start.resolve({ title: 'Gauge', starters: [], error: null });
  }

  async call(name, payload = {}) {
    await this.ready;
    return this[name]?.(payload) ?? {};
  }

  async stop({ conversation }) {
    this.#stopped.add(conversation);
    return {};
  }

  preview = async ({ question }) => ({
    host: 'api.example',
    tokens: 412,
    messages: [
      { role: 'system', content: 'You answer from the passages.' },
      { role: 'user', content: question },
    ],
  });
  test_connection = async () => ({
    ok: false,
    kind: 'unauthorized',
    message: 'api.example refused the key.',
    next: 'Check the key for this host.',
    url: '',
  });

  async passage({ n, chunk }) {
    const found =
      SOURCES.find((candidate) => candidate.n === n) ?? RELATED.find((page) => page.chunk === chunk);
    const marked = 'Raw readings are kept for thirty days.';
    return {
      state: n === 2 ? 'changed' : 'current',
      title: found.title,
      heading_path: found.heading_path,
      url: found.url,
      before: [paragraph(text('Every reading that a gauge sends is stored as it came.'))],
      blocks:
        n === 1
          ? [
              paragraph(
                { type: 'mark', children: [text(marked)] },
                text(' After that a nightly job folds them into hourly means, which are kept for two years.'),
              ),
              { type: 'code_block', language: 'toml', text: '[retention]\nraw = "30d"\nhourly = "2y"' },
              paragraph(
                text('A site may keep raw readings longer by setting '),
                code('raw'),
                text('; the disk it needs grows in proportion.'),
              ),
            ]
          : [paragraph(text(found.text))],
      after: [
        paragraph(text('The job can be run by hand with '), code('gauge fold'), text('.')),
        paragraph(text('It writes a line for each site to the log.')),
      ],
    };
  }

  ask = ({ conversation, question }) =>
    this.#answer(conversation, `t-${crypto.randomUUID()}`, question, false);
  retry = ({ conversation, turn, question }) =>
    this.#answer(conversation, turn, question ?? 'retention', true);
  regenerate = this.retry;
  passages = this.retry;

  async #answer(conversation, turn, question, replaces) {
    const store = await openStore(new URL('./', document.baseURI).href);
    const stored = await store.turns(conversation);
    const record = {
      version: 1,
      id: turn,
      conversation,
      seq: stored.length + 1,
      question,
      asked_at: Date.now() / 1000,
      status: 'pending',
      mode: 'agent',
      answer: '',
      blocks: [],
      sources: [],
      chips: [],
      related: [],
      steps: [],
      label: null,
      error: null,
      stopped: false,
      deflected: false,
      active: 0,
      versions: [],
    };
    const emit = async (frame) => {
      this.#listeners.frame(structuredClone({ conversation, turn, ...frame }));
      await wait(15);
    };
    this.#stopped.delete(conversation);
    const release = await store.lock(conversation);
    await store.putTurn(structuredClone(record));
    await emit({ type: 'turn', seq: record.seq, question, mode: null, replaces });
    await emit({ type: 'mode', mode: 'agent' });
    for (const step of STEPS) await emit({ type: 'step', step });
    record.steps = STEPS;
    let end = { type: 'done', status: 'done', related: [] };
    if (/weather/.test(question)) {
      record.blocks = [paragraph(text('The documentation does not cover this.'))];
      await emit({ type: 'answer', from: 0, blocks: record.blocks });
      end = { ...end, status: 'deflected', deflected: true, label: 'No sources cited', related: RELATED };
    } else {
      record.sources = SOURCES;
      await emit({ type: 'sources', sources: SOURCES, chips: [] });
      const broken = /broken/.test(question);
      const count = broken ? 2 : ANSWER.length;
      for (let at = 0; at < count && !this.#stopped.has(conversation); at++) {
        await emit({ type: 'answer', from: at, blocks: [ANSWER[at]] });
        record.blocks.push(ANSWER[at]);
        while (/endless/.test(question) && at === 1 && !this.#stopped.has(conversation)) await wait(30);
      }
      record.chips = [chip(SOURCES[0], [1, 3]), chip(SOURCES[1], [2])];
      end = { ...end, related: RELATED.slice(0, 1) };
      if (broken) end = { type: 'error', ...FAILURE, related: [], label: null };
      if (this.#stopped.has(conversation)) end = { ...end, status: 'stopped', stopped: true };
    }
    await emit({ type: 'sources', sources: record.sources, chips: record.chips });
    Object.assign(record, end.type === 'error' ? { status: 'failed', error: FAILURE } : end, {
      type: undefined,
    });
    await store.putTurn(structuredClone(record));
    await emit(end);
    release?.();
    return { turn };
  }
}
