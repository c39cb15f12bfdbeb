/**
 * A stored passage as blocks, for drawing it before Python is there: paragraphs parted by blank lines, and
 * code between fences. Nothing else in a documentation's text has a meaning (`ibid.models.Chunk`).
 */

/** @typedef {import('./protocol.js').TreeNode} TreeNode */

const FENCE = /^(`{3,}|~{3,})\s*(\S*)/u;

/**
 * @param {string} text
 * @returns {TreeNode[]}
 */
export function passageBlocks(text) {
  /** @type {TreeNode[]} */
  const blocks = [];
  /** @type {string[]} */
  let lines = [];
  /** @type {{fence: string, language: string} | null} */
  let open = null;
  const flush = () => {
    const words = lines.join('\n');
    lines = [];
    if (open) blocks.push({ type: 'code_block', language: open.language, text: words });
    else if (words.trim()) blocks.push({ type: 'paragraph', children: [{ type: 'text', text: words }] });
  };
  for (const line of text.split('\n')) {
    const [, fence = '', language = ''] = FENCE.exec(line) ?? [];
    if (open && line.trim() === open.fence) {
      flush();
      open = null;
    } else if (!open && fence) {
      flush();
      open = { fence, language };
    } else if (!open && line.trim() === '') {
      flush();
    } else {
      lines.push(line);
    }
  }
  flush();
  return blocks;
}
