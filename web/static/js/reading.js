// @ts-check
// A page that is only read: mathematics, boxes that scroll by keys, and links into what is folded.
import { typeset } from './math.js';
import { scrollable } from './scroll.js';

void typeset(Boolean(document.querySelector('link[href$="/vendor/katex.css"]')));
scrollable();

/** Unfold what the address points into; not every browser does so by itself. */
function unfold() {
  const place = document.querySelector(':target');
  const folded = place?.closest('details');
  if (folded && !folded.open) {
    folded.open = true;
    place?.scrollIntoView();
  }
}
window.addEventListener('hashchange', unfold);
unfold();
