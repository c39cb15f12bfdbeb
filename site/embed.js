/**
 * Adds an "Ask" button to a documentation page: `<script src="BASE/embed.js" defer></script>`.
 *
 * The button opens the app (`BASE/?embed`) in a frame, made at the first click or focus. Attributes of the
 * script: data-label, data-position (such as top-left), data-theme (auto, light, dark), data-open-key (such as
 * "/" or "ctrl+k"). `window.ibid.open({question})` prefills the box and never sends.
 */
(() => {
  const script = /** @type {HTMLScriptElement | null} */ (
    document.currentScript ?? document.querySelector('script[src*="embed.js"]')
  );
  if (!script || document.querySelector('ibid-ask')) return;

  const base = new URL('./', script.src);
  const { label = 'Ask', position = '', theme: wanted = '', openKey = '' } = script.dataset;
  const theme = /^(light|dark)$/.test(wanted) ? wanted : '';

  for (const { name } of script.attributes) {
    if (name !== 'data-open-key' && /^data-.*(key|token|secret|url|endpoint|model)/.test(name)) {
      console.warn(`Ibid ignores ${name}: every visitor could read it. The reader chooses endpoint and key.`);
    }
  }

  const css = `
    :host { all: initial; }
    .ask, dialog { --paper: light-dark(#fbfaf7, #16181c); --ink: light-dark(#1f2328, #e9e7e2);
      --accent: light-dark(#9a2f14, #f2a17c); --rule: light-dark(#dedad0, #343941);
      box-sizing: border-box; color-scheme: ${theme || 'light dark'};
      color: var(--ink); font: 15px/1.3 system-ui, sans-serif; }
    button, a { font: inherit; cursor: pointer; border-radius: 6px; }
    .ask { display: block; padding: 10px 18px; border: 1px solid var(--accent); background: var(--accent);
      color: var(--paper); box-shadow: 0 2px 10px #0003; }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
    dialog { position: fixed; inset: auto; margin: 0; padding: 0; border: 1px solid var(--rule);
      border-radius: 6px; overflow: hidden; width: min(480px, calc(100vw - 32px));
      height: min(720px, calc(100vh - 96px)); background: var(--paper);
      box-shadow: 0 8px 32px #0006; }
    dialog[open] { display: flex; flex-direction: column; }
    .bar { display: flex; justify-content: flex-end; gap: 12px; padding: 4px 8px;
      border-bottom: 1px solid var(--rule); font-size: 13px; }
    .bar > * { padding: 4px; border: 0; background: none; color: inherit; }
    iframe { flex: 1; width: 100%; border: 0; }
    p { margin: 0; }
    p:not(:empty) { padding: 16px; }
    @media (max-width: 520px) { dialog { inset: 0 !important; width: 100vw; height: 100dvh; max-width: none;
      max-height: none; border: 0; border-radius: 0; } }`;

  /**
   * @template {keyof HTMLElementTagNameMap} T
   * @param {T} tag
   * @param {Partial<HTMLElementTagNameMap[T]>} properties
   */
  const make = (tag, properties) => Object.assign(document.createElement(tag), properties);

  const host = document.createElement('ibid-ask');
  const [edge, side] = position.split('-');
  const place = { [edge === 'top' ? 'top' : 'bottom']: '16px', [side === 'left' ? 'left' : 'right']: '16px' };
  const own = { all: 'initial', display: 'block', position: 'fixed', 'z-index': '2147483647', ...place };
  for (const [name, value] of Object.entries(own)) host.style.setProperty(name, value, 'important');

  const shadow = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  shadow.adoptedStyleSheets = [sheet];
  const ask = make('button', { type: 'button', className: 'ask', textContent: label });
  const dialog = make('dialog', { ariaLabel: label });
  Object.assign(dialog.style, place, edge === 'top' ? { top: '72px' } : { bottom: '72px' });
  const bar = make('div', { className: 'bar' });
  const tab = make('a', { href: base.href, target: '_blank', rel: 'noopener', textContent: 'Open in a tab' });
  const shut = make('button', { type: 'button', textContent: 'Close' });
  const note = make('p', { role: 'status' });
  bar.append(tab, shut);
  dialog.append(bar, note);
  shadow.append(ask, dialog);

  /** @type {HTMLIFrameElement | null} */
  let frame = null;
  let ready = false;
  let question = '';

  const createFrame = () => {
    if (frame) return;
    const address = new URL(theme ? `?embed&theme=${theme}` : '?embed', base);
    // The app answers to this page's origin only, which it learns from the referrer.
    frame = make('iframe', {
      title: label,
      allow: 'clipboard-write',
      referrerPolicy: 'origin',
      src: address.href,
    });
    frame.addEventListener('load', () => {
      setTimeout(() => {
        if (ready || note.textContent) return;
        const cause = window.crossOriginIsolated
          ? 'This page is cross-origin isolated: serve Ibid with Cross-Origin-Embedder-Policy: require-corp'
          : 'Its server may forbid frames (X-Frame-Options, frame-ancestors)';
        note.textContent = `${base.host} did not answer in this frame. ${cause}, or open it in a tab.`;
      }, 10_000);
    });
    dialog.append(frame);
  };

  /** @param {object} message */
  const send = (message) => frame?.contentWindow?.postMessage(message, base.origin);

  const prefill = () => {
    if (!ready || !question) return;
    send({ type: 'ibid:prefill', question });
    question = '';
  };

  const open = ({ question: asked = '' } = {}) => {
    question = String(asked);
    createFrame();
    if (!dialog.open) dialog.show();
    ask.setAttribute('aria-expanded', 'true');
    frame?.focus();
    prefill();
  };

  const close = () => {
    if (!dialog.open) return;
    dialog.close();
    ask.setAttribute('aria-expanded', 'false');
    ask.focus();
  };

  ask.setAttribute('aria-expanded', 'false');
  ask.addEventListener('focus', createFrame);
  ask.addEventListener('click', () => (dialog.open ? close() : open()));
  shut.addEventListener('click', close);

  const keys = openKey.toLowerCase().split('+').filter(Boolean);
  const key = openKey.endsWith('+') ? '+' : keys.pop();
  const wants = (/** @type {string} */ name) => keys.includes(name);
  const openByKey = (/** @type {KeyboardEvent} */ event) => {
    const [target] = event.composedPath();
    const typing =
      target instanceof HTMLElement &&
      (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
    if (event.key.toLowerCase() !== key || event.defaultPrevented || (typing && !keys.length)) return;
    const control = wants('mod') ? event.ctrlKey || event.metaKey : event.ctrlKey === wants('ctrl');
    const meta = wants('mod') || event.metaKey === wants('meta');
    if (!control || !meta || event.altKey !== wants('alt')) return;
    event.preventDefault();
    open();
  };
  document.addEventListener('keydown', openByKey);

  // Keys pressed in here are nobody else's.
  for (const type of /** @type {const} */ (['keydown', 'keypress', 'keyup'])) {
    host.addEventListener(type, (event) => {
      event.stopPropagation();
      if (type !== 'keydown') return;
      if (event.key === 'Escape') close();
      else openByKey(event);
    });
  }

  window.addEventListener('message', ({ source, origin, data }) => {
    if (!frame || source !== frame.contentWindow || origin !== base.origin) return;
    if (data?.type === 'ibid:ready') {
      ready = true;
      note.textContent = '';
      prefill();
    } else if (data?.type === 'ibid:close') close();
  });

  document.addEventListener('securitypolicyviolation', ({ blockedURI, effectiveDirective, disposition }) => {
    if (disposition !== 'enforce' || !blockedURI.startsWith(base.origin)) return;
    note.textContent = `The content policy of this page blocks Ibid: add ${base.origin} to ${effectiveDirective}.`;
    console.warn(note.textContent);
  });

  Object.defineProperty(window, 'ibid', { value: Object.freeze({ open, close }) });
  // Beside the body: no rule or transform of the host's body reaches it, and no redraw of it removes it.
  document.documentElement.append(host);
})();
