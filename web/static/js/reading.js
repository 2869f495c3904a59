// @ts-check
// A page that is only read: mathematics, and boxes that scroll by keys.
import { typeset } from './math.js';
import { scrollable } from './scroll.js';

void typeset(Boolean(document.querySelector('link[href$="/vendor/katex.css"]')));
scrollable();
