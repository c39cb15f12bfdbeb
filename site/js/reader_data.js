/** The part of the settings about the reader's own conversations: take all away, delete all. */

import { button, element } from './dom.js';

/**
 * @typedef {object} ReaderDataActions
 * @property {(kind: 'markdown' | 'json') => Promise<void>} exportAll
 * @property {() => Promise<void>} deleteAll
 */

/**
 * @param {import('./strings.js').Strings} strings
 * @param {ReaderDataActions} actions
 * @returns {HTMLElement}
 */
export function drawReaderData(strings, { exportAll, deleteAll }) {
  return element(
    'section',
    { class: 'data-part' },
    element('h3', {}, strings.yourData),
    element('p', { class: 'explanation' }, strings.yourDataIntro),
    element(
      'div',
      { class: 'ways' },
      button(strings.exportAllMarkdown, () => exportAll('markdown')),
      button(strings.exportAllJson, () => exportAll('json')),
      deleteButton(strings, deleteAll),
    ),
  );
}

/** Asks once more before it deletes: there is no way back. @param {import('./strings.js').Strings} strings @param {() => Promise<void>} deleteAll */
function deleteButton(strings, deleteAll) {
  const ask = (/** @type {boolean} */ sure) => {
    made.textContent = sure ? strings.deleteAllSure : strings.deleteAll;
    made.classList.toggle('danger', sure);
  };
  const made = button(strings.deleteAll, async () => {
    const sure = made.classList.contains('danger');
    if (sure) await deleteAll();
    ask(!sure);
  });
  made.addEventListener('blur', () => ask(false));
  return made;
}
