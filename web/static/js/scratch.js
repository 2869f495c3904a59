// @ts-check
// The scratch pane: a few lines of one's own, run beside the code in the editor. They are kept in this browser alone.
import { indentKeys, type } from './indent.js';
import { Trouble, begin, follow } from './judge.js';
import { adopt, patch } from './panel.js';
import { read, write } from './store.js';

const KEEP_MS = 400;

/**
 * @param {import('./workspace.js').Boot} boot
 * @param {import('./editor.js').Editor} editor
 * @param {{complain: (text: string) => void, announce: (text: string) => void}} page
 * @returns {() => Promise<void>} runs the lines
 */
export function scratchPane(boot, editor, { complain, announce }) {
  const key = `judge-scratch:${boot.user ? `${boot.user}:` : ''}${boot.slug}`;
  const lines = /** @type {HTMLTextAreaElement} */ (document.getElementById('scratch-lines'));
  const button = /** @type {HTMLButtonElement} */ (document.getElementById('scratch-run'));
  const fill = /** @type {HTMLButtonElement} */ (document.getElementById('scratch-fill'));
  const box = /** @type {HTMLElement} */ (document.getElementById('scratch-result'));
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let following = new AbortController();
  lines.value = read(key) ?? '';
  indentKeys(lines);
  offer();
  lines.addEventListener('input', () => {
    offer();
    clearTimeout(timer);
    timer = setTimeout(() => write(key, lines.value || null), KEEP_MS);
  });
  addEventListener('pagehide', () => write(key, lines.value || null));

  /** The example is offered while there is nothing that it could overwrite. */
  function offer() {
    fill.hidden = Boolean(lines.value.trim());
  }

  /** @param {HTMLElement} fresh */
  function show(fresh) {
    const old = box.querySelector('.panel');
    if (old instanceof HTMLElement && old.dataset.id === fresh.dataset.id) patch(old, fresh);
    else {
      adopt(fresh);
      box.replaceChildren(fresh);
    }
    if (fresh.dataset.status !== 'done') return;
    announce(fresh.dataset.announce ?? '');
    box.scrollIntoView({ block: 'nearest' });
  }

  /** @param {number} line */
  function goto(line) {
    const before = lines.value.split('\n').slice(0, line);
    const end = before.join('\n').length;
    lines.focus();
    lines.setSelectionRange(end - (before.at(-1) ?? '').length, end);
  }

  async function run() {
    if (button.disabled) return;
    if (!lines.value.trim()) return lines.focus();
    button.disabled = true;
    complain('');
    following.abort();
    following = new AbortController();
    announce(boot.words['status.sending']);
    try {
      const { url } = await begin(boot, boot.urls.scratch, { problem: boot.slug, source: editor.text(), lines: lines.value });
      await follow(boot, url, show, complain, following.signal);
    } catch (error) {
      announce('');
      complain(error instanceof Trouble ? error.message : boot.words['status.offline']);
    } finally {
      button.disabled = false;
    }
  }

  button.addEventListener('click', () => { void run(); });
  fill.addEventListener('click', () => {
    lines.focus();
    lines.select();
    type(lines, lines.placeholder);
  });
  box.addEventListener('click', (event) => {
    const place = event.target instanceof Element ? event.target.closest('[data-scratch-line]') : null;
    if (place instanceof HTMLElement) goto(Number(place.dataset.scratchLine));
  });
  return run;
}
