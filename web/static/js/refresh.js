// @ts-check
// A page that shows something being judged reads itself again until it is done.
const PAUSE_MS = 1500;

if (document.querySelector('[data-waiting], .panel:not([data-status=done])')) {
  setTimeout(() => { location.reload(); }, PAUSE_MS);
}
