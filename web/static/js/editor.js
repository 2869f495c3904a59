// @ts-check
// One interface over Monaco and the plain text area, which stays where Monaco is missing, fails, or the screen is small.
import { assist } from './assist.js';
import { indentKeys } from './indent.js';
import { loadMonaco } from './monaco.js';
import { settings } from './settings.js';

const SMALL_SCREEN = '(max-width: 800px)';

/**
 * @typedef {object} Editor
 * @property {() => string} text
 * @property {() => void} focus
 * @property {(now: import('./settings.js').Settings) => void} set how it looks
 * @property {(source: string) => void} replace undoable
 * @property {(line: number) => void} goto
 * @property {(changed: () => void) => void} onChange
 */

/**
 * @param {import('./workspace.js').Boot} boot
 * @param {string} source the code to show
 * @returns {Promise<Editor>}
 */
export async function openEditor(boot, source) {
  const area = /** @type {HTMLTextAreaElement} */ (document.getElementById('source'));
  if (area.value !== source) area.value = source;
  const wanted = settings().editor;
  if (!boot.vendor || wanted === 'plain' || (wanted === 'auto' && matchMedia(SMALL_SCREEN).matches)) return plain(area);
  try {
    return await openMonaco(boot, area);
  } catch (error) {
    console.warn('the editor could not be loaded', error);
    const notice = document.createElement('p');
    notice.className = 'notice';
    notice.id = 'no-editor';
    notice.textContent = boot.words['editor.loading-failed'];
    area.parentElement?.before(notice);
    return plain(area);
  }
}

/**
 * @param {HTMLTextAreaElement} area
 * @returns {Editor}
 */
function plain(area) {
  indentKeys(area);
  return {
    text: () => area.value,
    focus: () => area.focus(),
    set(now) {
      area.style.fontSize = `${now.fontSize}px`;
      area.style.whiteSpace = now.wrap ? 'pre-wrap' : 'pre';
    },
    replace(source) {
      area.focus();
      area.select();
      // The only way to change a text area that its own undo can take back.
      if (!document.execCommand('insertText', false, source)) area.value = source;
      area.dispatchEvent(new Event('input'));
    },
    goto(line) {
      const lines = area.value.split('\n').slice(0, line);
      const end = lines.join('\n').length;
      area.focus();
      area.setSelectionRange(end - (lines.at(-1) ?? '').length, end);
    },
    onChange: (changed) => area.addEventListener('input', changed),
  };
}

/**
 * @param {import('./workspace.js').Boot} boot
 * @param {HTMLTextAreaElement} area
 * @returns {Promise<Editor>}
 */
async function openMonaco(boot, area) {
  const monaco = await loadMonaco(boot.lang);
  const host = document.createElement('div');
  host.className = 'monaco';
  const editor = monaco.editor.create(host, { ...OPTIONS, ariaLabel: boot.words['editor.label'], value: area.value });
  area.hidden = true;
  area.after(host);
  Object.assign(host, { editor }); // for tests: the page shows visible lines only
  /** @type {Promise<{dispose: () => void}> | null} */
  let vim = null;
  /** @type {{dispose: () => void} | null} */
  let help = null;
  return {
    text: () => editor.getValue({ lineEnding: '\n' }),
    focus: () => editor.focus(),
    set(now) {
      editor.updateOptions({ fontSize: now.fontSize, wordWrap: now.wrap ? 'on' : 'off' });
      if (boot.urls.help && now.assist !== Boolean(help)) {
        help?.dispose();
        help = now.assist ? assist(monaco, editor, boot) : null;
      }
      if (now.vim === Boolean(vim)) return;
      if (vim) void vim.then((mode) => mode.dispose());
      vim = now.vim ? vimMode(editor, host) : null;
    },
    replace(source) {
      editor.pushUndoStop();
      editor.executeEdits('judge', [{ range: editor.getModel().getFullModelRange(), text: source }]);
      editor.pushUndoStop();
      editor.focus();
    },
    goto(line) {
      editor.revealLineInCenter(line);
      editor.setPosition({ lineNumber: line, column: 1 });
      editor.focus();
    },
    onChange: (changed) => editor.onDidChangeModelContent(changed),
  };
}

/**
 * @param {any} editor
 * @param {HTMLElement} host
 */
async function vimMode(editor, host) {
  const { initVimMode } = await import(new URL('../vendor/vim.js', import.meta.url).href);
  const status = document.createElement('div');
  status.className = 'vim-status';
  host.closest('form')?.append(status);
  const mode = initVimMode(editor, status);
  return { dispose: () => { mode.dispose(); status.remove(); } };
}

const OPTIONS = {
  language: 'python',
  automaticLayout: true,
  colorDecorators: false, // #189 is a problem, not a colour
  editContext: false, // with it, Chinese input methods lose their candidate window or double punctuation
  fixedOverflowWidgets: true,
  fontFamily: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  fontSize: 14,
  insertSpaces: true,
  lineNumbersMinChars: 3,
  minimap: { enabled: false },
  padding: { top: 10, bottom: 10 },
  renderLineHighlight: 'line',
  scrollBeyondLastLine: false,
  stickyScroll: { enabled: false },
  tabSize: 4,
  unicodeHighlight: { ambiguousCharacters: false }, // Chinese comments are no attack
};
