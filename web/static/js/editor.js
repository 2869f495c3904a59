// @ts-check
// One interface over Monaco and the plain text area, which stays where Monaco is missing, fails, or the screen is small.
const SMALL_SCREEN = '(max-width: 800px)';

/**
 * @typedef {object} Editor
 * @property {() => string} text
 * @property {(source: string) => void} replace undoable
 * @property {(line: number) => void} goto
 * @property {(changed: () => void) => void} onChange
 */

/**
 * @param {import('./workspace.js').Boot} boot
 * @param {string | null} draft the code to show instead of what the server sent
 * @returns {Promise<Editor>}
 */
export async function openEditor(boot, draft) {
  const area = /** @type {HTMLTextAreaElement} */ (document.getElementById('source'));
  if (draft !== null) area.value = draft;
  if (!boot.vendor || matchMedia(SMALL_SCREEN).matches) return plain(area);
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
  return {
    text: () => area.value,
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
  const vendor = new URL('../vendor/', import.meta.url);
  await styleSheet(new URL('monaco.css', vendor));
  if (boot.lang === 'zh') await classicScript(new URL('monaco.zh-cn.js', vendor));
  self.MonacoEnvironment = { getWorker: () => new Worker(new URL('editor.worker.js', vendor)) };
  const monaco = await import(new URL('monaco.js', vendor).href);
  defineThemes(monaco);
  const host = document.createElement('div');
  host.className = 'monaco';
  const editor = monaco.editor.create(host, { ...OPTIONS, ariaLabel: boot.words['editor.label'], value: area.value });
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const paint = () => monaco.editor.setTheme(dark.matches ? 'judge-dark' : 'judge-light');
  dark.addEventListener('change', paint);
  paint();
  area.hidden = true;
  area.after(host);
  Object.assign(host, { editor }); // for tests: the page shows visible lines only
  return {
    text: () => editor.getValue({ lineEnding: '\n' }),
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

/** @param {any} monaco */
function defineThemes(monaco) {
  monaco.editor.defineTheme('judge-light', {
    base: 'vs',
    inherit: true,
    rules: [{ token: 'comment', foreground: '5f6b76' }],
    colors: { 'editor.background': '#ffffff', 'editorLineNumber.foreground': '#646d76', 'editorLineNumber.dimmedForeground': '#646d76' },
  });
  monaco.editor.defineTheme('judge-dark', {
    base: 'vs-dark',
    inherit: true,
    rules: [{ token: 'comment', foreground: '8b98a5' }],
    colors: { 'editor.background': '#1a1e23', 'editorLineNumber.foreground': '#8b98a5', 'editorLineNumber.dimmedForeground': '#8b98a5' },
  });
}

/** @param {URL} address */
function styleSheet(address) {
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = address.href;
  return loaded(link);
}

/** @param {URL} address Monaco's Chinese strings set a global that its bundle reads when it is evaluated */
function classicScript(address) {
  const script = document.createElement('script');
  script.src = address.href;
  return loaded(script);
}

/** @param {HTMLElement} element */
function loaded(element) {
  return new Promise((resolve, reject) => {
    element.addEventListener('load', resolve);
    element.addEventListener('error', () => reject(new Error(element.outerHTML)));
    document.head.append(element);
  });
}
