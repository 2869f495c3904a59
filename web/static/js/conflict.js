// @ts-check
// The bar over the editor when a draft was changed elsewhere: keep mine, take theirs, see the difference.
import { whenBack } from './away.js';
import { showDifference, showLines } from './difference.js';

/**
 * @param {import('./workspace.js').Boot} boot
 * @param {import('./draft.js').Draft} draft
 * @returns {(theirs: import('./draft.js').Version | null) => void} shows the bar, or takes it away
 */
export function conflictBar(boot, draft) {
  const bar = /** @type {HTMLElement} */ (document.getElementById('conflict'));
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById('difference'));
  const host = /** @type {HTMLElement} */ (dialog.querySelector('.difference-box'));
  const label = boot.words['draft.difference'];
  let end = () => {};

  async function compare() {
    const theirs = draft.theirs;
    if (!theirs) return;
    draft.take();
    dialog.showModal();
    try {
      if (!boot.vendor) throw new Error('no bundle');
      end = await showDifference(host, theirs.source, draft.mine.source, { vendor: true, lang: boot.lang, label });
    } catch {
      await lines(theirs.source);
    }
  }

  /** @param {string} theirs */
  async function lines(theirs) {
    try {
      await showLines(host, theirs, draft.mine.source, boot.urls.difference);
    } catch {
      host.textContent = boot.words['status.offline'];
      whenBack(boot.urls.alive, () => { if (dialog.open) void lines(theirs); });
    }
  }

  dialog.addEventListener('close', () => {
    end();
    end = () => {};
    host.replaceChildren();
  });
  for (const box of [bar, dialog]) {
    box.addEventListener('click', (event) => {
      const act = event.target instanceof HTMLElement ? event.target.dataset.conflict : undefined;
      if (act === 'compare') void compare();
      if (act === 'mine') draft.keepMine();
      if (act === 'theirs') draft.takeTheirs();
      if (act && act !== 'compare') dialog.close();
    });
  }
  return (theirs) => { bar.hidden = theirs === null; };
}
