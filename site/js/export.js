/** Taking conversations away: as Markdown with their references, or as JSON. */

import { plainText } from './answer.js';
import { element } from './dom.js';
import { safeUrl } from './links.js';
import { placeNames } from './protocol.js';

/** @typedef {import('./protocol.js').TurnRecord} TurnRecord */
/** @typedef {{id: string, title: string, turns: TurnRecord[]}} Exported */
/** @typedef {import('./strings.js').Strings} Strings */

/**
 * An answer with its references, as it goes to the clipboard.
 *
 * @param {TurnRecord} record
 * @param {Strings} strings
 * @returns {string}
 */
export function answerMarkdown(record, strings) {
  const answer = record.answer.trim() || plainText(record.blocks).trim();
  const references = referenceLines(record);
  if (references.length === 0) return `${answer}\n`;
  return `${answer}\n\n${strings.references}:\n\n${references.join('\n')}\n`;
}

/**
 * @param {Exported} conversation
 * @param {Strings} strings
 * @returns {string}
 */
export function conversationMarkdown({ title, turns }, strings) {
  const parts = turns.map((record) => {
    const parts = [`## ${oneLine(record.question)}`, answerMarkdown(record, strings).trim()];
    if (record.stopped) parts.push(`*${strings.stoppedNote}*`);
    if (record.error) parts.push(`> ${oneLine(record.error.message)}`);
    return parts.filter(Boolean).join('\n\n');
  });
  return `${[`# ${oneLine(title || strings.untitled)}`, ...parts].join('\n\n')}\n`;
}

/**
 * Every field of the records, as they are stored. No key is ever in them.
 *
 * @param {Exported[]} conversations
 * @returns {string}
 */
export function conversationsJson(conversations) {
  return `${JSON.stringify({ format: 'ibid-conversations', version: 1, conversations }, null, 2)}\n`;
}

/**
 * Gives the reader a file with one conversation, or with all of them.
 *
 * @param {import('./store.js').Store} store
 * @param {'markdown' | 'json'} kind
 * @param {Strings} strings
 * @param {string | null} [only]     the conversation; all of them where it is left out
 */
export async function exportConversations(store, kind, strings, only) {
  const wanted = (await store.conversations()).filter(({ id }) => only === undefined || id === only);
  const exported = await Promise.all(
    wanted.map(async ({ id, title }) => ({ id, title, turns: /** @type {any[]} */ (await store.turns(id)) })),
  );
  if (exported.length === 0) return;
  const name = (only && exported[0]?.title) || document.title;
  if (kind === 'json') {
    download(fileName(name, 'json'), 'application/json', conversationsJson(exported));
    return;
  }
  const texts = exported.map((conversation) => conversationMarkdown(conversation, strings));
  download(fileName(name, 'md'), 'text/markdown', texts.join('\n---\n\n'));
}

/**
 * @param {string} name
 * @param {string} type
 * @param {string} text
 */
function download(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = element('a', { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  // The browser reads the blob after the click has returned.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/**
 * @param {string} title
 * @param {string} extension
 * @returns {string}
 */
export function fileName(title, extension) {
  const plain = title
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/gu, '');
  return `${plain.slice(0, 60) || 'conversation'}.${extension}`;
}

/**
 * One line a cited passage; the pages of the footnotes where no passage is cited. Not in the form of link
 * definitions: those would turn the marks `[1][3]` above them into one link.
 *
 * @param {TurnRecord} record
 * @returns {string[]}
 */
function referenceLines({ chips, sources }) {
  const cited = new Set(chips.flatMap((chip) => chip.numbers));
  const passages = sources.filter((source) => cited.has(source.n));
  if (passages.length > 0) return passages.map((source) => `- [${source.n}] ${reference(source)}`);
  return chips.map((chip) => `- ${reference(chip)}`);
}

/** @param {{title: string, heading_path: string[], url: string}} place */
function reference(place) {
  const url = safeUrl(place.url);
  const names = placeNames(place).join(' › ');
  return url ? `${names}: <${url.href}>` : names;
}

/** @param {string} text */
function oneLine(text) {
  return text.replace(/\s+/gu, ' ').trim();
}
