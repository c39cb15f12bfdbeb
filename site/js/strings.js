/** Every word of the interface, one table a language. Words of answers come from Python and the model. */

/** @param {number} n @param {string} one @param {string} many */
const counted = (n, one, many) => `${n} ${n === 1 ? one : many}`;

/** @param {number} bytes */
const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

const en = {
  // The shell.
  intro: 'Ask this documentation a question. Every citation in the answer opens the passage it stands on.',
  starters: 'Questions to start with',
  newConversation: 'New conversation',
  conversations: 'Conversations',
  searchConversations: 'Search conversations',
  noConversations: 'No conversations yet.',
  noConversationFound: 'No conversation matches.',
  untitled: 'Untitled',
  rename: 'Rename',
  newName: 'New name of the conversation',
  delete: 'Delete',
  settings: 'Settings',
  export: 'Export',
  exportMarkdown: 'Markdown',
  exportJson: 'JSON',
  close: 'Close',
  askLabel: 'Ask a question',
  ask: 'Ask',
  stop: 'Stop',

  // The state line: one sentence, always true.
  starting: 'Starting Python…',
  startingBytes: (/** @type {number} */ loaded, /** @type {number} */ total) =>
    total > loaded
      ? `Starting Python… ${megabytes(loaded)} of ${megabytes(total)} MB`
      : `Starting Python… ${megabytes(loaded)} MB`,
  answersFromPassages: 'Answers from passages, nothing leaves this page',
  answersBy: (/** @type {string} */ model, /** @type {string} */ host) =>
    model ? `Answers by ${model} at ${host}` : `Answers by ${host}`,
  offlinePassages: 'Offline: passages only',
  cannotAnswer: 'No answers here',
  readyOffline: 'Ready offline',
  notOffline: 'Not kept for offline use.',
  notKept: 'Conversations are not kept on this device.',
  newVersion: 'A newer version of this page is here.',
  reload: 'Reload',
  openSettings: 'Open the settings',

  // Why the engine did not start.
  noWebAssembly:
    'This browser, or a policy of this site, does not allow WebAssembly, which Python needs. ' +
    'Old conversations stay readable; to ask, use a current browser with WebAssembly allowed.',
  noWorker:
    'This browser, or a policy of this site, does not allow workers, in which Python runs. ' +
    'Old conversations stay readable; to ask, use a current browser with workers allowed.',
  noStart: (/** @type {string} */ reason) =>
    `Python could not start: ${reason} Old conversations stay readable.`,
  policyBlocks: (/** @type {string} */ directive, /** @type {string} */ blocked) =>
    `The content policy of this site (${directive}) blocks ${blocked}; its maintainer can allow it there.`,

  // A turn.
  waitingForPython: 'The question waits until Python has started.',
  searching: 'Reading the documentation…',
  answering: 'Answering',
  answerReady: (/** @type {number} */ sources) =>
    sources === 0 ? 'Answer ready, no sources' : `Answer ready, ${counted(sources, 'source', 'sources')}`,
  answerStopped: 'Stopped',
  stoppedNote: 'Stopped here.',
  searched: ['Searched', 'searched'],
  read: ['Read', 'read'],
  moreSteps: (/** @type {number} */ n) => `, and ${counted(n, 'more step', 'more steps')}`,
  sourceName: (/** @type {number} */ n, /** @type {string[]} */ names) => `Source ${n}: ${names.join(', ')}`,
  sourceMissing: (/** @type {number} */ n) => `Source ${n}: not among the sources of this answer`,
  sources: 'Sources',
  relatedLabel: 'Nearby docs, in case:',
  retry: 'Retry',
  showPassages: 'Show passages instead',
  regenerate: 'Regenerate',
  copy: 'Copy',
  copied: 'Copied',
  copyShort: 'Copy',
  copyCode: 'Copy code',
  versionOf: (/** @type {number} */ at, /** @type {number} */ of) => `Version ${at} of ${of}`,
  previousVersion: 'Earlier version',
  nextVersion: 'Later version',
  table: 'Table',
  references: 'References',
  notSavedSetting: (/** @type {string} */ reason) => `This could not be stored: ${reason}`,
  unknownVersion:
    'This answer was stored by a newer version of this page. Reload to get that version; nothing was changed.',
  answerRunning: {
    code: 'answer_running',
    message: 'An answer is still being written in this conversation.',
    next: 'Wait for it, or stop it; your question stays in the box.',
  },
  engineStopped: (/** @type {string} */ reason) => ({
    code: 'interrupted',
    message: `The engine of this page stopped: ${reason}`,
    next: 'Any text that came is kept. Retry; if it happens again, reload the page.',
  }),
  noLastFrame: 'it ended the answer without saying how.',
  notStarted: (/** @type {string} */ reason) => ({
    code: 'unavailable',
    message: reason,
    next: 'Reload the page to try again.',
  }),

  // The passage.
  passage: 'Passage',
  openPage: 'Open page',
  passageChanged: 'The page has changed since this answer was written. This is the passage as it was.',
  passageMissing: 'This page is no longer in the documentation. This is the passage as it was.',
  passageFailed: (/** @type {string} */ reason) =>
    `The page around this passage could not be read: ${reason}`,

  // Settings.
  endpointHeading: 'Who writes the answers',
  endpointIntro:
    'Without an address, answers are passages of the documentation, word for word, and nothing leaves this ' +
    'page. With one, questions and passages go to that OpenAI-compatible endpoint, straight from this browser.',
  baseUrl: 'Base URL',
  model: 'Model',
  apiKey: 'API key',
  remember: 'Remember on this device',
  rememberHelp: 'Otherwise the key is forgotten when this tab is closed.',
  keyOnlyFor: (/** @type {string} */ host) => `A key is sent to ${host} and nowhere else.`,
  keyHeld: (/** @type {string} */ host) => `A key for ${host} is kept. Leave empty to go on with it.`,
  keyNeedsAddress: 'A key belongs to the address above; type that first.',
  forgetKey: 'Forget the key',
  finalAddress: (/** @type {string} */ address) => `Requests go to ${address}`,
  plainHttp: (/** @type {string} */ host) =>
    `${host} is reached over plain http, which this page may use for this computer only.`,
  badAddress: (/** @type {string} */ address) =>
    `“${address}” is not an http(s) address without a name or password in it, such as https://host.example/v1.`,
  otherAddress: (/** @type {string} */ host) =>
    `This site's answers may come from ${host} alone, or from its own pages: type that address, or none.`,
  save: 'Save',
  testConnection: 'Test connection',
  testing: 'Asking…',
  previewHeading: 'What will be sent',
  previewShow: 'Show it for this question',
  previewSummary: (
    /** @type {string} */ host,
    /** @type {number} */ tokens,
    /** @type {number} */ messages,
  ) =>
    `${counted(messages, 'message', 'messages')}, about ${counted(tokens, 'token', 'tokens')}, to ${host}. ` +
    'Later requests of the same turn add the passages that the searches find.',
  previewNothing: 'Nothing: no address is set, or this computer is offline.',
  yourData: 'Your conversations',
  yourDataIntro: 'They are stored in this browser only.',
  exportAllMarkdown: 'Export all as Markdown',
  exportAllJson: 'Export all as JSON',
  deleteAll: 'Delete all',
  deleteAllSure: 'Delete all conversations for good',
};

/** @typedef {typeof en} Strings */

/** @type {Record<string, Strings>} */
const TABLES = { en };

/**
 * The table of a language (BCP 47; its first part decides), English where there is none.
 *
 * @param {string} [language]
 * @returns {Strings}
 */
export function stringsFor(language = 'en') {
  return TABLES[language.toLowerCase().split('-')[0] ?? 'en'] ?? en;
}
