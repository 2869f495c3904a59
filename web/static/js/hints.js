// @ts-check
// The next hint, opened in place; where it does not come, that is said beside its button.
import { whenBack } from './away.js';

/** @param {import('./workspace.js').Boot} boot */
export function openHints(boot) {
  const box = document.getElementById('hints');
  box?.addEventListener('submit', async (event) => {
    const form = /** @type {HTMLFormElement} */ (event.target);
    event.preventDefault();
    box.querySelector('.notice')?.remove();
    /** @type {Response} */
    let response;
    try {
      const body = new URLSearchParams(/** @type {any} */ (new FormData(form)));
      response = await fetch(form.action, { method: 'POST', body });
    } catch {
      const notice = complain(form, boot.words['hint.offline']);
      return whenBack(boot.urls.alive, () => notice.remove());
    }
    if (!response.ok) return void complain(form, `${response.status} ${response.statusText}`);
    box.innerHTML = await response.text(); // our own escaped template
    [...box.querySelectorAll('summary')].at(-1)?.focus();
    box.dispatchEvent(new CustomEvent('fresh'));
  });
}

/** @param {HTMLElement} form @param {string} text */
function complain(form, text) {
  const notice = document.createElement('p');
  notice.className = 'notice';
  notice.setAttribute('role', 'alert');
  notice.textContent = text;
  form.after(notice);
  notice.scrollIntoView({ block: 'nearest' });
  return notice;
}
