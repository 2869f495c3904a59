// @ts-check
// The cards of cases: a square of the strip opens its card, and what opens comes into view.

/** @param {HTMLElement} pane */
export function cards(pane) {
  pane.addEventListener('click', (event) => {
    const target = event.target instanceof Element ? event.target : null;
    const square = target?.closest('[data-card]');
    if (square instanceof HTMLAnchorElement) {
      event.preventDefault();
      show(document.getElementById(square.hash.slice(1)));
    }
    const opened = target?.closest('summary')?.parentElement;
    if (opened?.matches('.case, .group')) requestAnimationFrame(() => opened.scrollIntoView({ block: 'nearest' }));
  });
}

/** @param {HTMLElement | null} card */
function show(card) {
  if (!(card instanceof HTMLDetailsElement)) return;
  card.open = true;
  card.scrollIntoView({ block: 'start' });
  card.querySelector('summary')?.focus({ preventScroll: true });
}
