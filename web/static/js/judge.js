// @ts-check
// Talking to the server: submit, follow, fetch the pieces of the page.
const PAUSE_MS = { first: 250, growth: 1.15, longest: 2000, between: 80 };

/** A refusal by the server, with its sentence for the reader. */
export class Trouble extends Error {}

/** @typedef {import('./workspace.js').Boot} Boot */

/**
 * @param {Boot} boot
 * @param {string} source
 * @param {string} mode
 * @returns {Promise<number>} the number of the new submission
 */
export async function send(boot, source, mode) {
  return (await begin(boot, boot.urls.submit, { problem: boot.slug, source, mode })).id;
}

/**
 * The headers of what is sent in the name of the page's reader: refused once somebody else has logged in.
 * @param {Boot} boot
 */
export const asReader = (boot) => ({ 'Content-Type': 'application/json', ...(boot.user && { 'Judge-Reader': String(boot.user) }) });

/**
 * @param {Boot} boot
 * @param {string} url
 * @param {object} body
 * @returns {Promise<any>} the answer; Trouble where it is refused
 */
export async function begin(boot, url, body) {
  const headers = asReader(boot);
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw await trouble(response);
  return response.json();
}

/** @param {Response} response */
async function trouble(response) {
  const body = await response.json().catch(() => null);
  return new Trouble(body?.error?.message ?? `${response.status} ${response.statusText}`);
}

/**
 * @param {Boot} boot
 * @param {number} id
 */
export function panelUrl(boot, id) {
  return boot.urls.panel.replace('/0/', `/${id}/`);
}

/** @param {string} html @returns {HTMLElement} */
function parsePanel(html) {
  const panel = new DOMParser().parseFromString(html, 'text/html').querySelector('.panel');
  if (!(panel instanceof HTMLElement)) throw new Trouble('no panel');
  return panel;
}

/**
 * @param {Boot} boot
 * @param {number} id
 */
export async function fetchPanel(boot, id) {
  return parsePanel(await fetchPiece(panelUrl(boot, id)));
}

/** @param {string} url */
export async function fetchPiece(url) {
  const response = await fetch(url, { cache: 'no-store' });
  if (!response.ok) throw new Trouble(`${response.status} ${response.statusText}`);
  return response.text();
}

/** @param {number} ms */
const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

/**
 * Milliseconds that the server asks for before the next question: far behind in the queue nothing changes soon.
 * @param {Response} response
 */
const later = (response) => 1000 * Number(response.headers.get('Retry-After') ?? 0);

/** @param {number} status of an answer that says nothing about the submission, and that another may follow */
const passes = (status) => status === 429 || status >= 500;

/**
 * Show a panel at each change until its verdict is final. The server holds a request for a change where
 * it has threads to spare; where it answers at once, the pause between questions grows. A server that is away,
 * or a proxy that says so, is asked again: the judgement goes on without us.
 * @param {Boot} boot
 * @param {string} url of the panel
 * @param {(panel: HTMLElement) => void} show
 * @param {(text: string) => void} complain
 * @param {AbortSignal} signal
 */
export async function follow(boot, url, show, complain, signal) {
  let tag = '';
  let lost = false;
  let pause = PAUSE_MS.first;
  for (;;) {
    const asked = performance.now();
    /** @type {Response | null} */
    let response = null;
    let html = '';
    try {
      const headers = { Prefer: 'wait=2', ...(tag && { 'If-None-Match': tag }) };
      response = await fetch(url, { cache: 'no-store', headers, signal });
      if (response.status === 200) html = await response.text();
    } catch (error) {
      if (signal.aborted) throw error;
      response = null;
    }
    const away = !response || passes(response.status);
    if (away !== lost) complain(away ? boot.words['status.offline'] : ''); // other complaints are not ours to take away
    lost = away;
    if (response?.status === 200) {
      tag = response.headers.get('ETag') ?? '';
      pause = PAUSE_MS.first;
      const panel = parsePanel(html);
      show(panel);
      if (panel.dataset.status === 'done') return;
      await sleep(later(response) || PAUSE_MS.between);
    } else if (response && !away && response.status !== 304) {
      throw new Trouble(response.status === 401 || response.status === 403 ? boot.words['status.login'] : `${response.status} ${response.statusText}`);
    } else if (away || performance.now() - asked < PAUSE_MS.longest / 2) {
      await sleep((response && later(response)) || pause);
      pause = Math.min(PAUSE_MS.longest, pause * PAUSE_MS.growth);
    }
    if (signal.aborted) throw signal.reason;
  }
}
