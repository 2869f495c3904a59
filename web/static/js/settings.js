// @ts-check
// How the workspace of this browser looks and which keys it has. Kept here, not on the server.
import { read, write } from './store.js';

const KEY = 'judge-settings';
const DEFAULTS = { fontSize: 14, keys: 'judge', editor: 'auto', wrap: false, vim: false, assist: true };

/** @typedef {typeof DEFAULTS} Settings */

/** @returns {Settings} */
export function settings() {
  try {
    const kept = JSON.parse(read(KEY) ?? '{}');
    const known = Object.entries(DEFAULTS).filter(([name, value]) => typeof kept[name] === typeof value);
    return { ...DEFAULTS, ...Object.fromEntries(known.map(([name]) => [name, kept[name]])) };
  } catch {
    return { ...DEFAULTS };
  }
}

/**
 * The dialog of settings and keys.
 * @param {(now: Settings, name: string) => void} changed
 */
export function settingsDialog(changed) {
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById('settings'));
  const now = settings();
  for (const field of dialog.querySelectorAll('[name]')) {
    if (!(field instanceof HTMLInputElement || field instanceof HTMLSelectElement)) continue;
    const name = /** @type {keyof Settings} */ (field.name);
    if (field instanceof HTMLInputElement && field.type === 'checkbox') field.checked = Boolean(now[name]);
    else field.value = String(now[name]);
    field.addEventListener('change', () => {
      const value = field instanceof HTMLInputElement && field.type === 'checkbox' ? field.checked
        : typeof DEFAULTS[name] === 'number' ? Number(field.value) : field.value;
      const next = { ...settings(), [name]: value };
      write(KEY, JSON.stringify(next));
      changed(next, name);
    });
  }
  document.getElementById('open-settings')?.addEventListener('click', () => dialog.showModal());
  document.addEventListener('keydown', (event) => {
    const typing = event.target instanceof Element && event.target.closest('input, textarea, select, .monaco');
    if (event.key === '?' && !typing && !dialog.open) dialog.showModal();
  });
}
