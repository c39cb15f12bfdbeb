/** A stand-in for site/js/store.js in memory (and sessionStorage, so that a reload finds it again). */
const SLOT = 'harness-store';
let state = JSON.parse(sessionStorage.getItem(SLOT) ?? '{"conversations":[],"turns":[],"settings":{}}');
const listeners = new Set();
const write = () => {
  sessionStorage.setItem(SLOT, JSON.stringify(state));
  for (const listener of listeners) listener();
};

/** @typedef {any} Store */
const store = {
  kept: true,
  keptNote: '',
  conversations: async () => structuredClone(state.conversations),
  turns: async (id) => structuredClone(state.turns.filter((turn) => turn.conversation === id)),
  putTurn: async (record, title) => {
    state.turns = [...state.turns.filter(({ id }) => id !== record.id), record];
    if (!state.conversations.some(({ id }) => id === record.conversation)) {
      state.conversations.unshift({ id: record.conversation, title });
    }
    write();
  },
  renameConversation: async (id, title) => {
    for (const conversation of state.conversations) if (conversation.id === id) conversation.title = title;
    write();
  },
  deleteConversation: async (id) => {
    state.conversations = state.conversations.filter((conversation) => conversation.id !== id);
    state.turns = state.turns.filter((turn) => turn.conversation !== id);
    write();
  },
  deleteAll: async () => {
    state = { ...state, conversations: [], turns: [] };
    write();
  },
  getSetting: async (name) => state.settings[name],
  setSetting: async (name, value) => {
    state.settings[name] = value;
    write();
  },
  subscribe: (listener) => listeners.add(listener),
};
export const openStore = async () => store;
