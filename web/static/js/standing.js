// @ts-check
// What a verdict changes beside the results: the history, the mark by the title, the way to the editorial.
import { fetchPiece } from './judge.js';

/** @param {import('./workspace.js').Boot} boot */
export async function refresh(boot) {
  const table = /** @type {HTMLElement} */ (document.getElementById('history-table'));
  table.innerHTML = await fetchPiece(boot.urls.history); // our own escaped template
  const found = new DOMParser().parseFromString(await fetchPiece(boot.urls.standing), 'text/html');
  for (const piece of /** @type {NodeListOf<HTMLElement>} */ (found.querySelectorAll('[data-state]'))) {
    const old = document.getElementById(piece.id);
    if (old?.dataset.state !== piece.dataset.state) old?.replaceWith(piece); // else it may be open, or half filled in
  }
}
