// @ts-check
// What became of the draft, in a word beside the buttons; the whole sentence is its title, or opens below a trouble.
const TROUBLES = ['draft.offline', 'draft.login', 'draft.large', 'draft.nowhere'];

/**
 * @param {Record<string, string>} words
 * @param {string} key
 * @returns {boolean} whether this is a trouble that was not said before
 */
export function sayState(words, key) {
  const place = /** @type {HTMLElement} */ (document.getElementById('draft-state'));
  if (place.dataset.key === key) return false; // it may be open
  place.dataset.key = key;
  const trouble = TROUBLES.includes(key);
  const short = words[`${key}-short`] ?? words[key];
  const [outer, inner] = trouble ? ['details', 'summary'] : ['span', 'span'];
  const box = document.createElement(outer);
  const label = trouble ? document.createElement(inner) : box;
  label.textContent = trouble ? `⚠ ${short}` : short;
  label.title = words[key];
  if (trouble) {
    const sentence = document.createElement('p');
    sentence.textContent = words[key];
    box.append(label, sentence);
  }
  place.replaceChildren(box);
  return trouble;
}
