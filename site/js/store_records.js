/** What the store does inside one transaction: the rules of conversations and turns, wherever they are kept. */

/** @typedef {import('./store_database.js').Transaction} Transaction */
/** @typedef {import('./protocol.js').TurnRecord} TurnRecord */
/** @typedef {{id: string, title: string, named: boolean, created: number, order: number}} Conversation */

/**
 * Something another tab, or the worker, has written. Settings are named only: keys travel nowhere.
 *
 * @typedef {{op: 'turn', record: TurnRecord} | {op: 'rename', conversation: string, title: string}
 *   | {op: 'delete', conversation: string} | {op: 'deleteAll'} | {op: 'setting', name: string}} Change
 */

const TITLE_LENGTH = 80;

const INTERRUPTED = {
  code: 'interrupted',
  message: 'The page was closed or reloaded before the answer was finished.',
  next: 'Any text that came is kept. Retry to have the question answered again.',
};

/** @param {Transaction} tx @param {string} conversation @returns {Promise<TurnRecord[]>} */
export async function turnsOf(tx, conversation) {
  const turns = await tx.ofConversation('turns', conversation);
  return turns.sort((a, b) => a.seq - b.seq || (a.id < b.id ? -1 : 1));
}

/**
 * The conversation after a turn was written to it: the last in order, which is a count, never a clock.
 *
 * @param {Transaction} tx
 * @param {Conversation | undefined} known
 * @param {TurnRecord} record
 */
export async function touched(tx, known, { conversation, question, asked_at }) {
  const order = await nextOrder(tx);
  if (known) return known.order === order - 1 ? known : { ...known, order };
  const title = question.trim().replace(/\s+/g, ' ').slice(0, TITLE_LENGTH);
  return { id: conversation, title, named: false, created: asked_at ?? 0, order };
}

/** @param {Transaction} tx */
export async function nextOrder(tx) {
  const orders = (await tx.all('conversations')).map(({ order }) => order ?? 0);
  return Math.max(0, ...orders) + 1;
}

/** @param {Transaction} tx @param {string} conversation @param {string} title */
export async function rename(tx, conversation, title) {
  const known = await tx.get('conversations', conversation);
  if (known) await tx.put('conversations', { ...known, title, named: true });
}

/** @param {Transaction} tx @param {string} conversation */
export async function forget(tx, conversation) {
  await tx.remove('conversations', conversation);
  for (const { id } of await tx.ofConversation('turns', conversation)) await tx.remove('turns', id);
  for (const { n } of await tx.ofConversation('query_log', conversation)) await tx.remove('query_log', n);
}

/** @param {Transaction} tx */
export async function forgetAll(tx) {
  for (const table of /** @type {const} */ (['conversations', 'turns', 'query_log'])) await tx.clear(table);
}

/** @param {Transaction} tx @param {Change} change */
export async function follow(tx, change) {
  if (change.op === 'rename') await rename(tx, change.conversation, change.title);
  if (change.op === 'delete') await forget(tx, change.conversation);
  if (change.op === 'deleteAll') await forgetAll(tx);
  if (change.op !== 'turn') return;
  const known = await tx.get('conversations', change.record.conversation);
  await tx.put('conversations', await touched(tx, known, change.record));
  await tx.put('turns', change.record);
}

/** @param {TurnRecord} record @returns {any[]} */
const versionsOf = (record) => record.versions ?? [];

/** @param {{status: string}} answer */
const isWritten = ({ status }) => status === 'pending' || status === 'streaming';

/** @param {TurnRecord} record */
export const isUnderWay = (record) => isWritten(record) || versionsOf(record).some(isWritten);

/** What nobody writes any more has failed; its text stays. @param {TurnRecord} record @returns {TurnRecord} */
export function settle(record) {
  const settled = (/** @type {any} */ answer) =>
    isWritten(answer) ? { ...answer, status: 'failed', error: INTERRUPTED } : answer;
  return { ...settled(record), versions: versionsOf(record).map(settled) };
}
