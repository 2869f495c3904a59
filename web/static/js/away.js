// @ts-check
// The server was away: ask now and then whether it is back, so that what said so can go away by itself.
const ASK_MS = 5000;

/** @type {Set<() => void>} */
const waiting = new Set();
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/**
 * @param {string} url that answers where anything does
 * @param {() => void} then called once, when it answers
 */
export function whenBack(url, then) {
  waiting.add(then);

  async function ask() {
    clearTimeout(timer);
    if (!waiting.size) return;
    const answer = await fetch(url, { cache: 'no-store' }).catch(() => null);
    if (answer && answer.status < 500) {
      const told = [...waiting];
      waiting.clear();
      for (const one of told) one();
    } else timer = setTimeout(() => { void ask(); }, ASK_MS);
  }

  clearTimeout(timer);
  timer = setTimeout(() => { void ask(); }, ASK_MS);
  addEventListener('online', () => { void ask(); }, { once: true });
}
