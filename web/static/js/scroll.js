// @ts-check
/** Let code and tables that are wider than their box be reached by Tab, to be scrolled by keys. */
export function scrollable() {
  for (const box of document.querySelectorAll('.prose pre, .prose table')) {
    if (box instanceof HTMLElement && box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }
}
