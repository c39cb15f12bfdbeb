import assert from 'node:assert/strict';
import { test } from 'node:test';
import './dom.mjs';

const { safeUrl, withTextFragment } = await import('../../site/js/links.js');

const REFUSED = [
  'javascript:alert(1)',
  ' JaVaScRiPt:alert(1)',
  'java\tscript:alert(1)',
  'data:text/html,<script>1</script>',
  'vbscript:x',
  'blob:https://x/1',
  'https://docs.example@x.example/',
  'https://',
  '',
  undefined,
];
for (const address of REFUSED) {
  test(`${JSON.stringify(address)} is no link.`, () => assert.equal(safeUrl(address), null));
}

const ALLOWED = [
  ['guide/a.html#b', 'https://docs.example/ask/guide/a.html#b'],
  ['https://docs.example/a', 'https://docs.example/a'],
  ['mailto:a@b.example', 'mailto:a@b.example'],
  ['//x.example', 'https://x.example/'],
  ['\\\\x.example', 'https://x.example/'],
];
for (const [address, href] of ALLOWED) {
  test(`${address} leads to ${href}.`, () => assert.equal(safeUrl(address).href, href));
}

const FRAGMENTS = [
  ['#part', 'kept for long', '#part:~:text=kept%20for%20long'],
  ['', 'well-known, yes', '#:~:text=well%2Dknown%2C%20yes'],
  [
    '#a',
    'one two three four five six seven eight nine ten eleven twelve thirteen',
    '#a:~:text=one%20two%20three%20four%20five%20six,eight%20nine%20ten%20eleven%20twelve%20thirteen',
  ],
  ['#a', '  ', '#a'],
];
for (const [hash, words, expected] of FRAGMENTS) {
  test(`The text fragment of "${words}" at "${hash}" is ${expected}.`, () => {
    const url = new URL(`https://docs.example/p/${hash}`);
    assert.equal(withTextFragment(url, words).hash, expected);
  });
}
