/** The page: starts Python, and draws the shell and the history from the store meanwhile. */

import { Composer } from './composer.js';
import { ConversationList } from './conversations.js';
import { Desk } from './desk.js';
import { button, byId, element } from './dom.js';
import { EndpointChoice } from './endpoint.js';
import { exportConversations } from './export.js';
import { connectHost } from './frame.js';
import { keepOffline } from './offline.js';
import { PassageDialog } from './passage.js';
import { blockedByPolicy } from './policy.js';
import { SettingsDialog } from './settings.js';
import { base, bridge, config, missing } from './start.js';
import { StateLine } from './state_line.js';
import { openStore } from './store.js';
import { stringsFor } from './strings.js';
import { applyAccent, applyTheme } from './theme.js';

const root = document.documentElement;
const parameters = new URLSearchParams(window.location.search);
applyTheme(parameters.get('theme'));
root.toggleAttribute('data-embed', parameters.has('embed'));

const strings = stringsFor(config.language);
root.lang = config.language;
document.title = config.title;
byId('title', HTMLElement).textContent = config.title;
applyAccent(config.accent);

const state = new StateLine(byId('state', HTMLElement), strings, {
  openSettings: () => settings.open(),
  reload: () => applyVersion(),
});
bridge.listen({
  frame: (frame) => desk.take(frame),
  progress: (progress) => state.set({ progress }),
});

const store = await openStore(base);
const session = sessionOrNull();
const choice = new EndpointChoice(store, config, base, session);
await choice.load();
const composer = new Composer(byId('composer', HTMLFormElement), strings, {
  ask: (question) => desk.ask(question),
  stop: () => desk.stop(),
});
const passage = new PassageDialog(byId('passage', HTMLDialogElement), strings);
const list = new ConversationList(byId('history', HTMLElement), strings, {
  open: (id) => go(id),
  startNew: () => go(null),
  close: closeHistory,
  rename: async (id, title) => {
    await store.renameConversation(id, title);
    await desk.refresh();
  },
  remove: (id) => desk.remove(id),
  search: (words) => store.search(words),
});
const desk = new Desk({
  store,
  bridge,
  choice,
  list,
  composer,
  passage,
  strings,
  places: { turns: byId('turns', HTMLElement), empty: byId('empty', HTMLElement) },
  notices: byId('notices', HTMLElement),
  announcer: byId('announcer', HTMLElement),
  moved: remember,
});
const settings = new SettingsDialog(byId('settings', HTMLDialogElement), strings, choice, {
  test: (endpoint) => bridge.call('test_connection', { endpoint }),
  preview: (question, endpoint) => bridge.call('preview', { conversation: desk.current, question, endpoint }),
  question: () => composer.text || (desk.reading.records.at(-1)?.question ?? ''),
  changed: describeEndpoint,
  exportAll: (kind) => exportConversations(store, kind, strings),
  deleteAll: () => desk.removeAll(),
});
const menu = exportMenu();
let applyVersion = () => window.location.reload();

byId('tools', HTMLElement).append(
  menu,
  button(strings.settings, () => settings.open(), { class: 'quiet' }),
);
desk.reading.describe(config.title, config.starters, (question) => desk.ask(question));
state.set({ kept: store.kept, keptNote: store.keptNote, online: navigator.onLine });
describeEndpoint();
connectHistoryToggle();
await desk.open(conversationToOpen());
await desk.refresh();
composer.text = parameters.get('q') ?? '';
composer.focus();

store.subscribe((change) => {
  state.set({ kept: store.kept, keptNote: store.keptNote });
  desk.hear(change);
});
for (const type of ['online', 'offline']) {
  window.addEventListener(type, () => state.set({ online: navigator.onLine }));
}
window.addEventListener('popstate', () => desk.open(conversationToOpen()));
if (root.hasAttribute('data-embed')) connectFrame();
await becomeReady();

async function becomeReady() {
  if (missing) {
    fail(missing === 'worker' ? strings.noWorker : strings.noWebAssembly);
    return;
  }
  try {
    await bridge.ready;
    root.dataset.ibid = 'ready';
    state.set({ engine: 'ready' });
    await keepOffline(base, {
      ready: () => state.set({ offline: 'ready' }),
      refused: () => state.set({ offline: 'refused' }),
      newVersion: (apply) => {
        applyVersion = apply;
        state.set({ newVersion: true });
      },
    });
  } catch (error) {
    fail(strings.noStart(error instanceof Error ? error.message : String(error)));
  }
}

/** @param {string} sentence */
function fail(sentence) {
  root.dataset.ibid = 'failed';
  const blocked = blockedByPolicy();
  const failure = blocked ? `${sentence} ${strings.policyBlocks(blocked.directive, blocked.what)}` : sentence;
  state.set({ engine: 'failed', failure });
  composer.setUsable(false);
}

/** Which conversation the address names; in a frame, the one that this tab had open last. */
function conversationToOpen() {
  const named = window.location.hash.slice(1);
  if (named || parameters.get('q')) return named || null;
  return root.hasAttribute('data-embed') ? (session?.getItem(openSlot()) ?? null) : null;
}

/** @param {string | null} id */
async function go(id) {
  await desk.open(id);
  closeHistory();
  composer.focus();
}

/** Puts the open conversation into the address, so that a reload shows it again. @param {string | null} id */
function remember(id) {
  menu.hidden = id === null;
  if (window.location.hash.slice(1) !== (id ?? '')) {
    const address = new URL(window.location.href);
    address.hash = id ?? '';
    window.history.pushState(null, '', address);
  }
  try {
    session?.setItem(openSlot(), id ?? '');
  } catch {
    // Storage is full or denied: a new frame starts with an empty desk.
  }
}

function openSlot() {
  return `ibid:open:${new URL(base).pathname}`;
}

function describeEndpoint() {
  state.set({ baseUrl: choice.baseUrl, model: choice.model });
}

function sessionOrNull() {
  try {
    return window.sessionStorage;
  } catch {
    return null;
  }
}

function connectFrame() {
  const close = connectHost({
    prefill: (question) => {
      composer.text = question;
      composer.focus();
    },
    theme: applyTheme,
  });
  window.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.defaultPrevented && !event.isComposing) close();
  });
}

function exportMenu() {
  const menu = element('details', { class: 'menu' });
  const save = (/** @type {'markdown' | 'json'} */ kind) => {
    menu.open = false;
    return exportConversations(store, kind, strings, desk.current);
  };
  menu.append(
    element('summary', { class: 'quiet' }, strings.export),
    element(
      'div',
      { class: 'menu-items' },
      button(strings.exportMarkdown, () => save('markdown')),
      button(strings.exportJson, () => save('json')),
    ),
  );
  return menu;
}

/** On narrow screens the conversations lie over the page. */
function connectHistoryToggle() {
  const toggle = byId('history-toggle', HTMLButtonElement);
  toggle.textContent = strings.conversations;
  toggle.addEventListener('click', () => {
    const open = root.toggleAttribute('data-history');
    toggle.setAttribute('aria-expanded', String(open));
  });
  window.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !root.hasAttribute('data-history')) return;
    event.preventDefault();
    closeHistory();
  });
  byId('scroller', HTMLElement).addEventListener('click', closeHistory);
}

function closeHistory() {
  if (!root.hasAttribute('data-history')) return;
  const toggle = byId('history-toggle', HTMLButtonElement);
  root.removeAttribute('data-history');
  toggle.setAttribute('aria-expanded', 'false');
  if (document.activeElement?.closest('#history')) toggle.focus();
}
