// @ts-check
// Swapping in a newer panel without touching what did not change, so that focus, scroll and open cases stay.

/** @type {WeakMap<Element, string>} the markup that a piece came with, before anybody opened or closed it */
const markup = new WeakMap();

/** @param {HTMLElement} panel remember its pieces as they came from the server */
export function adopt(panel) {
  for (const piece of panel.children) markup.set(piece, piece.outerHTML);
}

/**
 * @param {HTMLElement} panel on the page
 * @param {HTMLElement} fresh just received
 */
export function patch(panel, fresh) {
  const old = new Map([...panel.children].map((piece) => [keyOf(piece), piece]));
  adopt(fresh);
  Object.assign(panel.dataset, fresh.dataset);
  /** @type {Element | null} */
  let at = panel.firstElementChild;
  for (const piece of [...fresh.children]) {
    const before = old.get(keyOf(piece));
    if (before && markup.get(before) === markup.get(piece)) {
      if (before === at) at = at.nextElementSibling;
      else panel.insertBefore(before, at);
      continue;
    }
    if (before instanceof HTMLDetailsElement && piece instanceof HTMLDetailsElement) piece.open = before.open;
    if (before === at && before) at = before.nextElementSibling;
    before?.remove();
    panel.insertBefore(piece, at);
  }
  while (at) {
    const next = at.nextElementSibling;
    at.remove();
    at = next;
  }
}

/** @param {Element} piece */
function keyOf(piece) {
  return piece instanceof HTMLElement ? piece.dataset.key : undefined;
}
