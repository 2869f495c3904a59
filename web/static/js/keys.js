// @ts-check
// The keys of the workspace: run, submit, and from pane to pane.
const PANES = ['.statement', '#editor', '#results'];

/**
 * @param {KeyboardEvent} event
 * @param {string} set judge, or leetcode
 * @returns {'run' | 'submit' | null}
 */
export function actOf(event, set) {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.isComposing) return null;
  if (event.key === "'" && !event.shiftKey) return 'run';
  if (event.key !== 'Enter') return null;
  return event.shiftKey || set === 'leetcode' ? 'submit' : 'run';
}

/** @param {{focus: () => void}} editor F6 goes from pane to pane, with Shift backwards */
export function paneKeys(editor) {
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'F6' || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const panes = PANES.map((name) => document.querySelector(name));
    const at = panes.findIndex((pane) => pane?.contains(document.activeElement));
    const next = (at + (event.shiftKey ? PANES.length - 1 : 1) + (at < 0 && event.shiftKey ? 1 : 0)) % PANES.length;
    if (next === 1) editor.focus();
    else /** @type {HTMLElement} */ (panes[next])?.focus();
  });
}

/**
 * Say which keys there are, on buttons and beside them.
 * @param {string} set
 */
export function nameKeys(set) {
  for (const one of document.querySelectorAll('[data-keys-leetcode]')) {
    if (!(one instanceof HTMLElement)) continue;
    one.dataset.keysJudge ??= one.title || one.textContent || '';
    const text = (set === 'leetcode' ? one.dataset.keysLeetcode : one.dataset.keysJudge) ?? '';
    if (one instanceof HTMLButtonElement) one.title = text;
    else one.textContent = text;
  }
  for (const one of document.querySelectorAll('.shortcuts [data-set]')) {
    if (one instanceof HTMLElement) one.hidden = one.dataset.set !== set;
  }
}
