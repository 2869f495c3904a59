// @ts-check
// Movable panes: by pointer or arrow keys, the place kept in this browser.

/** Bring every splitter of the page to life. */
export function splitters() {
  for (const bar of document.querySelectorAll('[data-split]')) if (bar instanceof HTMLElement) splitter(bar);
}

/** @param {HTMLElement} bar */
function splitter(bar) {
  const name = bar.dataset.split ?? '';
  const box = /** @type {HTMLElement} */ (bar.parentElement);
  const sideways = name === 'columns';
  const [least, most] = [Number(bar.ariaValueMin), Number(bar.ariaValueMax)];

  /** @param {number} percent */
  function place(percent) {
    if (!Number.isFinite(percent)) return;
    const kept = Math.min(most, Math.max(least, percent));
    box.style.setProperty(`--${name}`, `${kept}%`);
    bar.ariaValueNow = String(Math.round(kept));
    try {
      localStorage.setItem(`judge-split:${name}`, String(kept));
    } catch { /* storage is switched off: the place is forgotten */ }
  }

  bar.addEventListener('pointerdown', (event) => {
    bar.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  bar.addEventListener('pointermove', (event) => {
    if (!bar.hasPointerCapture(event.pointerId)) return;
    const area = box.getBoundingClientRect();
    place(100 * (sideways ? (event.clientX - area.left) / area.width : (event.clientY - area.top) / area.height));
  });
  bar.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -2, ArrowUp: -2, ArrowRight: 2, ArrowDown: 2, Home: -100, End: 100 }[event.key];
    if (!step) return;
    event.preventDefault();
    place(Number(bar.ariaValueNow) + step);
  });
  try {
    const kept = localStorage.getItem(`judge-split:${name}`);
    if (kept) place(Number(kept));
  } catch { /* storage is switched off */ }
}
