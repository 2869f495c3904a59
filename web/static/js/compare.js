// @ts-check
// The page of a difference: Monaco takes the place of the server's list where it loads and the screen is wide.
import { showDifference } from './difference.js';

const boot = JSON.parse(document.getElementById('boot')?.textContent ?? '');
const host = /** @type {HTMLElement} */ (document.getElementById('difference'));
const lines = [...host.children];

if (boot.vendor && boot.old !== boot.new && !matchMedia('(max-width: 800px)').matches) {
  try {
    await showDifference(host, boot.old, boot.new, boot);
  } catch (error) {
    console.warn('the difference stays a list', error);
    host.replaceChildren(...lines);
  }
}
