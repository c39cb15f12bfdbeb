/** Light, dark or the system's choice, and the maintainer's accent. */

/** @typedef {'auto' | 'light' | 'dark'} Theme */

/**
 * @param {unknown} theme
 */
export function applyTheme(theme) {
  const root = document.documentElement;
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
  else if (theme === 'auto') delete root.dataset.theme;
}

/**
 * The build has checked its contrast in both themes; here only that it is a colour.
 *
 * @param {string | null | undefined} accent
 */
export function applyAccent(accent) {
  if (accent && CSS.supports('color', accent)) document.documentElement.style.setProperty('--accent', accent);
}
