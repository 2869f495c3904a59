// @ts-check
// Light, dark, or as the system has it. The server draws a page in the theme of the cookie, so none flashes.
const system = matchMedia('(prefers-color-scheme: dark)');
const chosen = /** @type {HTMLSelectElement | null} */ (document.getElementById('theme')); // in the settings of a workspace
/** @type {(() => void)[]} */
const listeners = [];

/** @returns {string} system, light or dark */
export function theme() {
  return document.documentElement.dataset.theme || 'system';
}

/** @returns {boolean} whether the page is dark now */
export function isDark() {
  return theme() === 'dark' || (theme() === 'system' && system.matches);
}

/** @param {() => void} changed called after each change, by the reader or by the system */
export function onTheme(changed) {
  listeners.push(changed);
}

/** @param {string} name system, light or dark; kept for a year */
export function setTheme(name) {
  document.documentElement.dataset.theme = name;
  const dark = /** @type {HTMLLinkElement | null} */ (document.getElementById('dark'));
  if (dark) dark.media = { light: 'not all', dark: 'all' }[name] ?? '(prefers-color-scheme: dark)';
  document.cookie = `judge_theme=${name}; Path=/; Max-Age=31536000; SameSite=Lax`;
  for (const link of document.querySelectorAll('a[data-theme]')) {
    if (link instanceof HTMLElement && link.dataset.theme === name) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
  if (chosen) chosen.value = name;
  for (const changed of listeners) changed();
}

chosen?.addEventListener('change', () => setTheme(chosen.value));
system.addEventListener('change', () => { for (const changed of listeners) changed(); });

for (const link of document.querySelectorAll('a[data-theme]')) {
  link.addEventListener('click', (event) => {
    event.preventDefault(); // in place: what is typed, opened or scrolled stays
    if (link instanceof HTMLElement) setTheme(link.dataset.theme ?? 'system');
    link.closest('details')?.removeAttribute('open');
  });
}
