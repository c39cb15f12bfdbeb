import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { test } from 'node:test';
import './dom.mjs';

const { stateSentence } = await import('../../site/js/state_line.js');
const { readHostMessage } = await import('../../site/js/frame.js');
const { stringsFor } = await import('../../site/js/strings.js');

const SITE = new URL('../../site/', import.meta.url);
const read = (name) => readFileSync(new URL(name, SITE), 'utf8');
const scripts = ['embed.js', ...readdirSync(new URL('js/', SITE)).map((name) => `js/${name}`)];

const READY = { engine: 'ready', progress: null, failure: '', baseUrl: '', model: '', online: true };
const LOCAL = { baseUrl: 'http://localhost:11434/v1', model: 'llama3.2' };
const SENTENCES = [
  [{}, 'Answers from passages, nothing leaves this page'],
  [LOCAL, 'Answers by llama3.2 at localhost:11434'],
  [{ ...LOCAL, online: false }, 'Answers by llama3.2 at localhost:11434'],
  [{ baseUrl: 'https://a.example/v1', online: false }, 'Offline: passages only'],
  [{ online: false }, 'Offline: passages only'],
  [{ engine: 'loading' }, 'Starting Python…'],
  [{ engine: 'loading', progress: { loaded: 3.1e6, total: 9e6 } }, 'Starting Python… 3.1 of 9.0 MB'],
  [{ engine: 'loading', progress: { loaded: 3.1e6, total: 0 } }, 'Starting Python… 3.1 MB'],
  [{ engine: 'failed', failure: 'It broke.' }, 'It broke.'],
];
for (const [state, sentence] of SENTENCES) {
  test(`The state line says "${sentence}" for ${JSON.stringify(state)}.`, () => {
    assert.equal(stateSentence({ ...READY, ...state }, stringsFor()), sentence);
  });
}

const MESSAGES = [
  [
    { type: 'ibid:prefill', question: 'How?', key: 'sk' },
    { type: 'ibid:prefill', question: 'How?' },
  ],
  [
    { type: 'ibid:theme', theme: 'dark' },
    { type: 'ibid:theme', theme: 'dark' },
  ],
  [{ type: 'ibid:prefill', question: 'a'.repeat(10_001) }, null],
  [{ type: 'ibid:prefill', question: 7 }, null],
  [{ type: 'ask', text: 'How?' }, null],
  [{ type: 'config', baseUrl: 'https://x.evil.example' }, null],
  [{ type: '__proto__' }, null],
  ['ibid:prefill', null],
  [null, null],
];
for (const [data, expected] of MESSAGES) {
  test(`The host's message ${JSON.stringify(data).slice(0, 60)} is ${expected ? 'read' : 'ignored'}.`, () => {
    assert.deepEqual(readHostMessage(data), expected);
  });
}

test('No script of the page makes DOM nodes from a string of HTML.', () => {
  const forbidden =
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment|setHTML/;
  assert.deepEqual(
    scripts.filter((name) => forbidden.test(read(name))),
    [],
  );
});

test('Nothing of the page is from another origin, and nothing is inline.', () => {
  const html = read('index.html');
  assert.doesNotMatch(html, /(src|href)="(https?:)?\/\//);
  assert.doesNotMatch(html, /<style|style="|<script(?![^>]* src=)|\son\w+="/);
  const styles = readdirSync(new URL('css/', SITE)).map((name) => read(`css/${name}`));
  assert.deepEqual(
    styles.filter((css) => /@import|url\(/.test(css)),
    [],
  );
});

test('Every style sheet is named in index.html, and only tokens.css holds raw colours.', () => {
  const html = read('index.html');
  for (const name of readdirSync(new URL('css/', SITE))) {
    assert.ok(html.includes(`./css/${name}`), name);
    if (name !== 'tokens.css') assert.doesNotMatch(read(`css/${name}`), /#[0-9a-f]{3,8}\b|rgb\(/i, name);
  }
});

test('embed.js is at most 8 kB before anyone clicks, and imports nothing.', () => {
  assert.ok(statSync(new URL('embed.js', SITE)).size <= 8000);
  assert.doesNotMatch(read('embed.js'), /\bimport\b/);
});
