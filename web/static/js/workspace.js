// @ts-check
// The workspace page: editor, draft, run and submit, live results, history. Everything also works as a plain form.
import { whenBack } from './away.js';
import { cards } from './cards.js';
import { conflictBar } from './conflict.js';
import { Draft } from './draft.js';
import { openEditor } from './editor.js';
import { openHints } from './hints.js';
import { actOf, nameKeys, paneKeys } from './keys.js';
import { Trouble, fetchPanel, follow, panelUrl, send } from './judge.js';
import { typeset } from './math.js';
import { adopt, patch } from './panel.js';
import { scratchPane } from './scratch.js';
import { scrollable } from './scroll.js';
import { settings, settingsDialog } from './settings.js';
import { splitters } from './split.js';
import { refresh } from './standing.js';
import { sayState } from './state.js';
import { unsentNotice } from './unsent.js';

/** @typedef {{slug: string, file: string, starter: string, lang: string, vendor: boolean, user: number | null,
 *             draft: {source: string, version: number} | null, words: Record<string, string>,
 *             urls: {submit: string, panel: string, history: string, standing: string, draft: string, difference: string, scratch: string, help: string, alive: string}}} Boot */

/** @param {string} id */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
/** @type {Boot} */
const boot = JSON.parse(byId('boot').textContent ?? '');
const form = /** @type {HTMLFormElement} */ (byId('editor-form'));
const buttons = /** @type {NodeListOf<HTMLButtonElement>} */ (form.querySelectorAll('button[name=mode]'));
const TABS = ['result', 'history', 'scratch'];
let following = new AbortController();

document.documentElement.classList.add('js');
splitters();
void typeset(boot.vendor);
const area = /** @type {HTMLTextAreaElement} */ (byId('source'));
const draft = new Draft(boot, area.value);
const editor = await openEditor(boot, draft.mine.source);
draft.follow(editor, { state, contest: conflictBar(boot, draft) });
const unsent = unsentNotice(boot);
editor.set(settings());
nameKeys(settings().keys);
paneKeys(editor);
settingsDialog((now, name) => {
  editor.set(now);
  nameKeys(now.keys);
  if (name === 'editor') location.reload(); // the draft is kept as the page goes
});
const runScratch = scratchPane(boot, editor, { complain, announce: (text) => { byId('announce').textContent = text; } });
openHints(boot);
byId('hints')?.addEventListener('fresh', () => { void typeset(boot.vendor); scrollable(); });
scrollable();
const shown = document.querySelector('.panel');
if (shown instanceof HTMLElement) {
  adopt(shown);
  if (shown.dataset.status !== 'done') watch(Number(shown.dataset.id));
}

/** @param {string} key of the words: what became of the last change */
function say(key) {
  if (sayState(boot.words, key)) byId('announce').textContent = boot.words[key];
}

/** @param {string} key what became of the draft */
function state(key) {
  say(key);
  if (key === 'draft.offline') whenBack(boot.urls.alive, sendDraft);
}

function sendDraft() {
  void draft.send();
}

/** @param {string} text one line above the results; empty takes it away */
function complain(text) {
  byId('trouble').textContent = text;
  byId('trouble').hidden = !text;
  if (text === boot.words['status.offline']) whenBack(boot.urls.alive, reconnected);
}

function reconnected() {
  if (byId('trouble').textContent === boot.words['status.offline']) complain('');
}

/** @param {string} name of TABS */
function openTab(name) {
  for (const one of TABS) {
    byId(one).classList.toggle('away', one !== name);
    byId(`tab-${one}`).setAttribute('aria-expanded', String(one === name));
  }
}

/** @param {HTMLElement} fresh a panel just received */
function show(fresh) {
  const old = byId('result').querySelector('.panel');
  if (old instanceof HTMLElement && old.dataset.id === fresh.dataset.id) patch(old, fresh);
  else {
    adopt(fresh);
    byId('result').replaceChildren(fresh);
    byId('results').scrollTop = 0;
  }
}

/** @param {number} id a submission to show until its verdict is final */
async function watch(id) {
  following.abort();
  following = new AbortController();
  const { signal } = following;
  try {
    await follow(boot, panelUrl(boot, id), show, complain, signal);
    const panel = byId('result').querySelector('.panel');
    byId('announce').textContent = panel instanceof HTMLElement ? panel.dataset.announce ?? '' : '';
    await refresh(boot);
  } catch (error) {
    if (!signal.aborted) complain(reason(error)); // else a later submission took its place
  }
}

/** @param {unknown} error */
function reason(error) {
  return error instanceof Trouble ? error.message : boot.words['status.offline'];
}

/** @param {string} mode run or submit */
async function judge(mode) {
  if (buttons[0].disabled) return;
  buttons.forEach((button) => { button.disabled = true; });
  complain('');
  following.abort();
  byId('announce').textContent = boot.words['status.sending'];
  const before = [...byId('result').children];
  byId('result').replaceChildren(/** @type {HTMLTemplateElement} */ (byId('sending')).content.cloneNode(true));
  openTab('result');
  try {
    void draft.send();
    const id = await send(boot, editor.text(), mode);
    unsent.arrived();
    history.replaceState(null, '', location.pathname);
    byId('results').scrollIntoView({ block: 'nearest' });
    void watch(id);
  } catch (error) {
    byId('result').replaceChildren(...before);
    const panel = byId('result').querySelector('.panel');
    if (panel instanceof HTMLElement && panel.dataset.status !== 'done') void watch(Number(panel.dataset.id));
    byId('announce').textContent = '';
    if (error instanceof Trouble) complain(error.message);
    else unsent.failed();
  } finally {
    buttons.forEach((button) => { button.disabled = false; });
  }
}

/** @param {number} id a past submission to show beside the present code */
async function showPast(id) {
  following.abort(); // what runs must not take its place
  try {
    show(await fetchPanel(boot, id));
    openTab('result');
    const panel = byId('result').querySelector('.panel');
    if (panel instanceof HTMLElement && panel.dataset.status !== 'done') void watch(id);
  } catch (error) {
    complain(reason(error));
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const by = event.submitter;
  void judge(by instanceof HTMLButtonElement ? by.value : 'submit');
});
document.addEventListener('keydown', (event) => {
  const act = document.querySelector('dialog[open]') ? null : actOf(event, settings().keys);
  if (!act) return;
  event.preventDefault();
  event.stopPropagation(); // the editor would insert a line
  if (event.target === byId('scratch-lines')) void runScratch();
  else void judge(act);
}, true);
byId('reset').addEventListener('click', () => {
  if (!confirm(boot.words['status.reset-confirm'])) return;
  editor.replace(boot.starter);
  say('draft.reset');
});
byId('download').addEventListener('click', () => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([editor.text()], { type: 'text/x-python' }));
  link.download = boot.file;
  link.click();
  URL.revokeObjectURL(link.href);
});
for (const name of TABS) {
  byId(`tab-${name}`).addEventListener('click', () => {
    openTab(name);
    history.replaceState(null, '', name === 'result' ? location.pathname + location.search : `#${name}`); // to come back to
    if (name === 'scratch') byId('scratch-lines').focus();
  });
}
cards(byId('results'));
byId('results').addEventListener('click', (event) => {
  const target = event.target instanceof Element ? event.target : null;
  const link = target?.closest('a[data-submission]');
  if (link instanceof HTMLElement && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    void showPast(Number(link.dataset.submission));
  }
  const place = target?.closest('[data-line]');
  if (place instanceof HTMLElement) editor.goto(Number(place.dataset.line));
  if (target?.closest('[data-restore]')) {
    editor.replace(byId('result').querySelector('[data-source]')?.textContent ?? '');
    say('draft.restored');
  }
});
const wanted = TABS.find((name) => location.hash === `#${name}`);
openTab(wanted ?? 'result');
if (wanted) byId('results').scrollIntoView({ block: 'nearest' }); // where the page is one column, it is far down
document.documentElement.classList.add('ready');
