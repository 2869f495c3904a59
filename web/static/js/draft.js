// @ts-check
// The code being written: kept in this browser at once and on the server soon after; nobody's version is overwritten
// unseen. While another version waits for a decision, this one is kept aside and not sent.
import { asReader } from './judge.js';
import { read, write } from './store.js';

const LOCAL_MS = 400;
const SEND_MS = 2000;
const RETRY_MS = { first: 5000, longest: 60_000 };
const KEEPALIVE_BYTES = 60_000; // browsers take no more of a request that outlives its page

/**
 * @typedef {{source: string, version: number}} Version as the server, or another tab, has it
 * @typedef {{source: string, base: number, sent: boolean, asked: string[]}} Kept written on top of version `base`;
 *   sent: the server has it; asked: what it was asked to store without an answer so far, and so may have
 * @typedef {object} Listener
 * @property {(key: string) => void} state a key of the words: what became of the last change
 * @property {(theirs: Version | null) => void} contest another version was found; null: no more
 */

/** @param {import('./workspace.js').Boot} boot */
const keyOf = (boot) => `judge-draft:${boot.user ? `${boot.user}:` : ''}${boot.slug}`;

/**
 * @param {string} key
 * @returns {Kept | null}
 */
const readKept = (key) => parse(read(key));

/**
 * @param {string | null} text
 * @returns {Kept | null}
 */
function parse(text) {
  if (text === null) return null;
  try {
    const kept = JSON.parse(text);
    if (typeof kept.source === 'string') {
      const asked = Array.isArray(kept.asked) ? kept.asked : [];
      return { source: kept.source, base: Number(kept.base) || 0, sent: kept.sent === true, asked };
    }
  } catch { /* an earlier program kept the bare source */ }
  return { source: text, base: 0, sent: false, asked: [] };
}

/** One page's draft of one problem. */
export class Draft {
  /**
   * @param {import('./workspace.js').Boot} boot
   * @param {string} shown the source that the page came with
   */
  constructor(boot, shown) {
    this.url = boot.urls.draft;
    this.headers = asReader(boot);
    this.key = keyOf(boot);
    /** @type {Version | null} */
    this.theirs = null;
    /** @type {Kept} */
    this.mine = { source: shown, base: boot.draft?.version ?? 0, sent: true, asked: [] };
    this.begin(boot.draft);
    this.busy = false;
    this.pause = RETRY_MS.first;
    /** @type {string | null} */
    this.refused = null; // a source that is too large for the server
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.localTimer = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.sendTimer = undefined;
  }

  /** @param {Version | null} server choose between what is kept here and what the server has */
  begin(server) {
    const aside = readKept(`${this.key}:aside`);
    const local = readKept(this.key);
    const mine = aside ?? local;
    if (!mine) {
      if (server) this.mine = { source: server.source, base: server.version, sent: true, asked: [] };
      return;
    }
    const unsent = aside && local && !local.sent && local.source !== aside.source;
    const other = unsent ? { source: local.source, version: local.base } : server;
    if (!other || other.source === mine.source) {
      this.mine = { source: mine.source, base: server?.version ?? 0, sent: server?.source === mine.source, asked: [] };
    } else if (mine.sent && other.version >= mine.base) {
      this.mine = { source: other.source, base: other.version, sent: true, asked: [] };
    } else if (!unsent && (mine.base === other.version || mine.asked.includes(other.source))) {
      this.mine = { ...mine, base: other.version, asked: [] };
    } else {
      // one that was sent and is newer than the server's: its database was put back to an earlier day
      this.mine = mine.sent ? { ...mine, base: other.version, sent: false, asked: [] } : mine;
      this.theirs = other;
    }
    if (this.theirs) this.keep();
    else this.keepInPlace();
  }

  /**
   * Follow an editor, which holds `mine.source` already.
   * @param {import('./editor.js').Editor} editor
   * @param {Listener} listener
   */
  follow(editor, listener) {
    this.editor = editor;
    this.listener = listener;
    editor.onChange(() => this.changed());
    addEventListener('storage', (event) => { if (event.key === this.key) this.elsewhere(parse(event.newValue)); });
    addEventListener('online', () => { void this.send(); });
    document.addEventListener('visibilitychange', () => { if (!document.hidden) void this.check(); });
    addEventListener('pagehide', () => this.leave());
    addEventListener('beforeunload', (event) => {
      this.take();
      if (!this.mine.sent && !this.keep()) event.preventDefault(); // kept nowhere: the browser asks
    });
    if (this.theirs) listener.contest(this.theirs);
    else if (!this.mine.sent) void this.send();
  }

  /** Take over what the editor holds. */
  take() {
    const source = this.editor?.text() ?? this.mine.source;
    if (source !== this.mine.source) this.mine = { ...this.mine, source, sent: false };
  }

  changed() {
    clearTimeout(this.localTimer);
    this.localTimer = setTimeout(() => this.settle(), LOCAL_MS);
    clearTimeout(this.sendTimer);
    this.sendTimer = setTimeout(() => { void this.send(); }, SEND_MS);
  }

  settle() {
    this.take();
    this.listener?.state(this.keep() ? 'draft.kept' : 'draft.nowhere');
  }

  /** Nothing waits for a decision any more. Only who made it may say so: what is kept aside may be another tab's. */
  keepInPlace() {
    if (this.keep()) write(`${this.key}:aside`, null);
  }

  /** @returns {boolean} whether this browser keeps it */
  keep() {
    const text = JSON.stringify(this.mine);
    return this.theirs ? this.mine.sent || write(`${this.key}:aside`, text) : write(this.key, text);
  }

  /** Send what the server does not have; again and again while it cannot be reached. */
  async send() {
    clearTimeout(this.sendTimer);
    this.take();
    if (this.busy || this.theirs || this.mine.sent || this.mine.source === this.refused) return;
    this.keep();
    this.busy = true;
    try {
      await this.put(this.mine.source, this.mine.base);
    } finally {
      this.busy = false;
    }
    this.take();
    if (!this.mine.sent && !this.theirs) this.later();
  }

  later() {
    clearTimeout(this.sendTimer);
    this.sendTimer = setTimeout(() => { void this.send(); }, this.pause);
  }

  /**
   * @param {string} source
   * @param {number} base
   */
  async put(source, base) {
    this.mine = { ...this.mine, asked: [...this.mine.asked.filter((one) => one !== source), source].slice(-3) };
    this.keep();
    /** @type {Response} */
    let response;
    try {
      response = await fetch(this.url, this.request(source, base));
    } catch {
      return this.failed('draft.offline');
    }
    if (response.ok) {
      const { version } = await response.json();
      this.pause = SEND_MS;
      this.take();
      this.mine = { source: this.mine.source, base: version, sent: this.mine.source === source, asked: [] };
      this.keep();
      if (this.mine.sent) this.listener?.state('draft.saved');
    } else if (response.status === 409) {
      const { draft } = await response.json();
      const ours = !draft || this.mine.asked.includes(draft.source); // there is nothing, or an answer was lost on the way
      this.pause = SEND_MS;
      if (ours) this.mine = { ...this.mine, base: draft?.version ?? 0 };
      else this.contest(draft);
    } else {
      if (response.status === 413) this.refused = source;
      this.failed({ 401: 'draft.login', 403: 'draft.login', 413: 'draft.large' }[response.status] ?? 'draft.offline');
    }
  }

  /**
   * @param {string} source
   * @param {number} base
   * @returns {RequestInit}
   */
  request(source, base) {
    return { method: 'PUT', headers: this.headers, body: JSON.stringify({ source, based_on: base }) };
  }

  /** Back at this page: another machine may have gone on with it. */
  async check() {
    this.take();
    if (this.busy || this.theirs || !this.mine.sent) return;
    const response = await fetch(this.url, { cache: 'no-store', headers: this.headers }).catch(() => null);
    const draft = response?.ok ? (await response.json()).draft : null;
    if (draft && draft.version > this.mine.base && !this.busy) this.contest(draft);
  }

  /** @param {string} why */
  failed(why) {
    this.listener?.state(why);
    this.pause = Math.min(RETRY_MS.longest, Math.max(RETRY_MS.first, this.pause * 2));
  }

  /** The page goes away: keep, and send what can still be sent. */
  leave() {
    this.take();
    this.keep();
    if (this.mine.sent || this.theirs) return;
    const request = this.request(this.mine.source, this.mine.base);
    const keepalive = new TextEncoder().encode(String(request.body)).length < KEEPALIVE_BYTES;
    void fetch(this.url, { ...request, keepalive }).catch(() => {});
  }

  /** @param {Kept | null} other what another tab of this browser just kept */
  elsewhere(other) {
    if (!other) return;
    this.take();
    if (other.source === this.mine.source) {
      this.mine = { ...this.mine, base: Math.max(this.mine.base, other.base), sent: other.sent };
      this.theirs = null; // that tab wrote it down already
      write(`${this.key}:aside`, null);
      this.listener?.contest(null);
    } else this.contest({ source: other.source, version: other.base });
  }

  /** @param {Version} theirs */
  contest(theirs) {
    this.take();
    if (theirs.source === this.mine.source) {
      this.mine = { source: theirs.source, base: theirs.version, sent: true, asked: [] };
      return this.settled();
    }
    this.theirs = theirs;
    this.keep();
    this.listener?.contest(theirs);
  }

  /** The reader decides for what is in this editor. */
  keepMine() {
    if (!this.theirs) return;
    this.take();
    this.mine = { ...this.mine, base: Math.max(this.mine.base, this.theirs.version), sent: false, asked: [] };
    this.settled();
    void this.send();
  }

  /** The reader decides for the other version; the editor's own undo brings this one back. */
  takeTheirs() {
    if (!this.theirs) return;
    const { source, version } = this.theirs;
    this.mine = { source, base: version, sent: false, asked: [] };
    this.editor?.replace(source);
    this.settled();
    void this.send(); // costs nothing where the server has it
  }

  settled() {
    this.theirs = null;
    this.keepInPlace();
    this.listener?.contest(null);
  }
}
