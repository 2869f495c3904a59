// @ts-check
// The code being written, kept in this browser for each problem.
const DELAY_MS = 400;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
/** @type {(() => void) | undefined} */
let pending;

/** @param {string} slug */
const keyOf = (slug) => `judge-draft:${slug}`;

/**
 * @param {string} slug
 * @returns {string | null} the kept draft, or null where there is none or storage is switched off
 */
export function readDraft(slug) {
  try {
    return localStorage.getItem(keyOf(slug));
  } catch {
    return null;
  }
}

/**
 * Keep a draft a moment after the last keystroke.
 * @param {string} slug
 * @param {string} source
 * @param {() => void} kept called once it is written
 */
export function keepDraft(slug, source, kept) {
  clearTimeout(timer);
  pending = () => {
    pending = undefined;
    try {
      localStorage.setItem(keyOf(slug), source);
    } catch {
      return; // no storage, or it is full: the page still works, and says nothing about a kept draft
    }
    kept();
  };
  timer = setTimeout(pending, DELAY_MS);
}

addEventListener('pagehide', () => pending?.());
