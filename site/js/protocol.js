/**
 * The messages that the worker sends and the turn record that the store holds (version 1, both owned by
 * Python: `ibid.protocol`, `ibid.conversations`), and the one function that turns frames into a record.
 *
 * What is drawn live is drawn from the same record as what is drawn after a reload.
 *
 * @typedef {object} TreeNode                    one node of an answer or a passage
 * @property {string} type
 * @property {TreeNode[]} [children]
 * @property {string} [text]
 * @property {number} [level]                     heading
 * @property {boolean} [ordered]                  list
 * @property {number} [start]                     list
 * @property {string} [href]                      link
 * @property {string} [host]                      link: shown when it leads elsewhere
 * @property {boolean} [header]                   cell
 * @property {string | null} [align]              cell
 * @property {string} [language]                  code_block
 * @property {number[]} [numbers]                 cite
 * @property {string} [raw]                       cite
 *
 * @typedef {{kind: string, text: string, at: number}} Step
 *
 * @typedef {object} Source
 * @property {number} n
 * @property {string} chunk
 * @property {string} path
 * @property {string} url
 * @property {string} title
 * @property {string[]} heading_path
 * @property {string} text
 *
 * @typedef {object} Chip
 * @property {string} path
 * @property {string} url
 * @property {string} title
 * @property {string[]} heading_path
 * @property {number[]} numbers                   the numbers of the marks that point into the page
 * @property {number} opens                       the source that the chip opens
 *
 * @typedef {object} Related
 * @property {string} path
 * @property {string} url
 * @property {string} title
 * @property {string[]} heading_path
 * @property {string} chunk
 * @property {string} text
 *
 * @typedef {{code: string, message: string, next: string}} Failure
 * @typedef {'pending' | 'streaming' | 'done' | 'deflected' | 'stopped' | 'failed'} Status
 *
 * @typedef {object} TurnRecord
 * @property {number} version
 * @property {string} id
 * @property {string} conversation
 * @property {number} seq
 * @property {string} question
 * @property {number} asked_at
 * @property {Status} status
 * @property {string | null} mode
 * @property {string} answer                      the text with its marks
 * @property {TreeNode[]} blocks                  the tree of `answer`
 * @property {Source[]} sources
 * @property {Chip[]} chips
 * @property {Related[]} related
 * @property {Step[]} steps
 * @property {string | null} label
 * @property {Failure | null} error
 * @property {string | null} inherited_from
 * @property {boolean} stopped
 * @property {boolean} deflected
 * @property {number} active                      which of `versions` the flat fields repeat
 * @property {object[]} versions
 *
 * @typedef {object} FrameIds
 * @property {string} conversation
 * @property {string} turn
 *
 * @typedef {FrameIds & {type: 'turn', seq: number, question: string, mode: string | null, replaces: boolean}} TurnFrame
 * @typedef {FrameIds & {type: 'mode', mode: string}} ModeFrame
 * @typedef {FrameIds & {type: 'step', step: Step}} StepFrame
 * @typedef {FrameIds & {type: 'answer', from: number, blocks: TreeNode[]}} AnswerFrame
 * @typedef {FrameIds & {type: 'sources', sources: Source[], chips: Chip[]}} SourcesFrame
 * @typedef {FrameIds & {type: 'done', status: Status, related?: Related[], stopped?: boolean, deflected?: boolean,
 *   label?: string | null, inherited_from?: string | null, restores?: boolean}} DoneFrame
 * @typedef {FrameIds & Failure & {type: 'error', label?: string | null, related?: Related[], restores?: boolean,
 *   stored?: boolean}} ErrorFrame
 * @typedef {TurnFrame | ModeFrame | StepFrame | AnswerFrame | SourcesFrame | DoneFrame | ErrorFrame} Frame
 */

/** The newest record version that this page can read. */
export const RECORD_VERSION = 1;

/** @type {Omit<TurnRecord, 'id' | 'conversation' | 'question'>} */
const EMPTY = Object.freeze({
  version: RECORD_VERSION,
  seq: 0,
  asked_at: 0,
  status: 'pending',
  mode: null,
  answer: '',
  blocks: [],
  sources: [],
  chips: [],
  related: [],
  steps: [],
  label: null,
  error: null,
  inherited_from: null,
  stopped: false,
  deflected: false,
  active: 0,
  versions: [],
});

/**
 * A turn that the worker has not accepted yet.
 *
 * @param {string} conversation
 * @param {string} question
 * @returns {TurnRecord}
 */
export function pendingTurn(conversation, question) {
  return { ...EMPTY, id: '', conversation, question };
}

/**
 * A stored record with what older records lack filled in; null where its version is unknown.
 *
 * @param {Partial<TurnRecord> & {id: string, conversation: string, question: string}} stored
 * @returns {TurnRecord | null}
 */
export function readRecord(stored) {
  if ((stored.version ?? RECORD_VERSION) > RECORD_VERSION) return null;
  return { ...EMPTY, ...stored };
}

/**
 * The record after one frame. Blocks before a patch keep their identity, so that a view may compare by it.
 *
 * @param {TurnRecord} record
 * @param {Frame} frame
 * @returns {TurnRecord}
 */
export function applyFrame(record, frame) {
  switch (frame.type) {
    case 'turn':
      return {
        ...EMPTY,
        id: frame.turn,
        conversation: frame.conversation,
        seq: frame.seq,
        question: frame.question,
        mode: frame.mode,
        versions: frame.replaces ? record.versions : [],
        active: frame.replaces ? record.active : 0,
      };
    case 'mode':
      return { ...record, mode: frame.mode };
    case 'step':
      return { ...record, steps: [...record.steps, frame.step] };
    case 'answer':
      return {
        ...record,
        status: 'streaming',
        blocks: [...record.blocks.slice(0, frame.from), ...frame.blocks],
      };
    case 'sources':
      return { ...record, sources: frame.sources, chips: frame.chips };
    case 'done':
      return {
        ...record,
        status: frame.status,
        related: frame.related ?? [],
        stopped: frame.stopped ?? false,
        deflected: frame.deflected ?? false,
        label: frame.label ?? null,
        inherited_from: frame.inherited_from ?? null,
      };
    case 'error':
      return failed(record, frame, frame.label ?? null, frame.related ?? []);
    default:
      return record;
  }
}

/**
 * The record as failed, its text kept.
 *
 * @param {TurnRecord} record
 * @param {Failure} failure
 * @param {string | null} [label]
 * @param {Related[]} [related]
 * @returns {TurnRecord}
 */
export function failed(record, { code, message, next }, label = null, related = []) {
  return { ...record, status: 'failed', error: { code, message, next }, label, related };
}

/**
 * The stored record, with every part that reads the same as the one on screen being that very part: what has
 * not changed is not drawn again, and keeps its focus and selection.
 *
 * @param {TurnRecord} shown
 * @param {TurnRecord} stored
 * @returns {TurnRecord}
 */
export function keepingParts(shown, stored) {
  const same = (/** @type {unknown} */ a, /** @type {unknown} */ b) =>
    JSON.stringify(a) === JSON.stringify(b);
  const blocks = stored.blocks.map((block, at) => {
    const before = shown.blocks[at];
    return before && same(before, block) ? before : block;
  });
  const kept = { ...stored, blocks };
  for (const name of /** @type {const} */ (['sources', 'chips', 'related', 'steps', 'error', 'versions'])) {
    if (same(shown[name], stored[name])) Object.assign(kept, { [name]: shown[name] });
  }
  return kept;
}

/**
 * Whether a frame is the last of its turn.
 *
 * @param {Frame} frame
 * @returns {frame is DoneFrame | ErrorFrame}
 */
export function isTerminal(frame) {
  return frame.type === 'done' || frame.type === 'error';
}

/**
 * The title and headings of a passage as one line, without saying the title twice.
 *
 * @param {{title: string, heading_path: string[]}} place
 * @returns {string[]}
 */
export function placeNames({ title, heading_path }) {
  return heading_path[0] === title ? [...heading_path] : [title, ...heading_path];
}
