// @ts-check
// A submission that did not reach the judge: said until one does, also after a reload; never sent by itself later.
import { read, write } from './store.js';

/** @param {import('./workspace.js').Boot} boot */
export function unsentNotice(boot) {
  const key = `judge-unsent:${boot.user ? `${boot.user}:` : ''}${boot.slug}`;
  const notice = /** @type {HTMLElement} */ (document.getElementById('unsent'));
  const text = /** @type {HTMLElement} */ (notice.querySelector('span'));

  function show() {
    const when = Number(read(key));
    notice.hidden = !when;
    const time = new Date(when).toLocaleTimeString(document.documentElement.lang, { hour: '2-digit', minute: '2-digit' });
    text.textContent = boot.words['status.unsent'].replace('{time}', time);
  }

  notice.querySelector('button')?.addEventListener('click', () => {
    write(key, null);
    show();
  });
  show();
  return {
    failed() {
      write(key, String(Date.now()));
      show();
    },
    arrived() {
      write(key, null);
      show();
    },
  };
}
