// @ts-check
// The editor's help: names, signatures, hover, squiggles, layout. It is asked of the server and may be missing.
import { asReader } from './judge.js';

const CHECK_MS = 700;
const OWNER = 'judge';
/** Kinds of the language server's items, by number, as Monaco names them. */
const KINDS = {
  2: 'Method', 3: 'Function', 4: 'Constructor', 5: 'Field', 6: 'Variable', 7: 'Class', 8: 'Interface', 9: 'Module',
  10: 'Property', 12: 'Value', 13: 'Enum', 14: 'Keyword', 20: 'EnumMember', 21: 'Constant', 22: 'Struct', 25: 'TypeParameter',
};
const SEVERITIES = { error: 'Error', faded: 'Hint' };

/**
 * @param {any} monaco
 * @param {any} editor whose model is helped with
 * @param {import('./workspace.js').Boot} boot
 * @returns {{dispose: () => void}}
 */
export function assist(monaco, editor, boot) {
  const model = editor.getModel();
  const gone = new AbortController();

  /** @returns {string} the draft as the server is told it: lines end in \n */
  const text = () => model.getValue(1);

  /**
   * @param {string} what
   * @param {any} [position]
   * @param {string} [source]
   * @returns {Promise<any>} null where there is no help now
   */
  async function ask(what, position, source = text()) {
    const at = position ? { line: position.lineNumber - 1, column: position.column - 1 } : {};
    try {
      const response = await fetch(boot.urls.help, {
        method: 'POST',
        headers: asReader(boot),
        body: JSON.stringify({ problem: boot.slug, source, what, ...at }),
        signal: gone.signal,
      });
      return response.status === 200 ? await response.json() : null;
    } catch {
      return null; // the server is away: one writes without help
    }
  }

  /** The names behind a dot that was not typed yet, and the draft that they are for. */
  let ahead = { source: '', found: Promise.resolve(/** @type {any} */ (null)) };

  /**
   * Once an imported name stands there, ask what a dot would bring: its list takes longest, and is there when the dot is.
   * @param {any} position
   */
  function askAhead(position) {
    const { lineNumber: line, column } = position;
    const lines = text().split('\n');
    const { word } = model.getWordUntilPosition(position);
    if (!word || !isImported(lines, word, line)) return;
    lines[line - 1] = `${lines[line - 1].slice(0, column - 1)}.${lines[line - 1].slice(column - 1)}`;
    const source = lines.join('\n');
    ahead = { source, found: ask('ahead', position.delta(0, 1), source) };
  }

  /** @param {number[]} found */
  const range = ([line, column, endLine, endColumn]) => new monaco.Range(line + 1, column + 1, endLine + 1, endColumn + 1);

  /** @type {{dispose: () => void}[]} */
  const parts = [
    monaco.languages.registerCompletionItemProvider('python', {
      triggerCharacters: ['.'],
      async provideCompletionItems(/** @type {any} */ asked, /** @type {any} */ position) {
        const known = ahead.source === text() ? ahead.found : null;
        const found = asked === model ? (known && await known) ?? await ask('complete', position) : null;
        if (!found) return { suggestions: [] };
        const word = asked.getWordUntilPosition(position);
        const place = new monaco.Range(position.lineNumber, word.startColumn, position.lineNumber, word.endColumn);
        return {
          incomplete: found.more,
          suggestions: found.items.map((/** @type {any[]} */ [label, kind, detail], /** @type {number} */ at) => ({
            label,
            detail,
            kind: monaco.languages.CompletionItemKind[KINDS[/** @type {keyof typeof KINDS} */ (kind)] ?? 'Text'],
            insertText: label,
            sortText: String(at).padStart(4, '0'),
            range: place,
          })),
        };
      },
    }),
    monaco.languages.registerSignatureHelpProvider('python', {
      signatureHelpTriggerCharacters: ['(', ','],
      signatureHelpRetriggerCharacters: [')'],
      async provideSignatureHelp(/** @type {any} */ asked, /** @type {any} */ position) {
        const found = asked === model ? await ask('signature', position) : null;
        if (!found) return null;
        const signatures = found.signatures.map((/** @type {any} */ one) => ({
          label: one.label,
          documentation: { value: one.text },
          parameters: one.parameters.map((/** @type {string} */ label) => ({ label })),
        }));
        return { value: { signatures, activeSignature: found.active, activeParameter: found.parameter }, dispose() {} };
      },
    }),
    monaco.languages.registerHoverProvider('python', {
      async provideHover(/** @type {any} */ asked, /** @type {any} */ position) {
        const found = asked === model ? await ask('hover', position) : null;
        return found && { contents: [{ value: found.text }] };
      },
    }),
    monaco.languages.registerDocumentFormattingEditProvider('python', {
      async provideDocumentFormattingEdits(/** @type {any} */ asked) {
        const found = asked === model ? await ask('format') : null;
        return (found ?? []).map((/** @type {any[]} */ one) => ({ range: range(one), text: one[4] }));
      },
    }),
  ];

  // Monaco has other keys for it on Linux; ours are the same everywhere
  const keys = monaco.KeyMod.Shift | monaco.KeyMod.Alt | monaco.KeyCode.KeyF;
  parts.push(monaco.editor.addKeybindingRule({ keybinding: keys, command: 'editor.action.formatDocument', when: 'editorTextFocus' }));

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  async function check() {
    const version = model.getVersionId();
    const found = await ask('check');
    if (gone.signal.aborted || !found || model.getVersionId() !== version) return;
    monaco.editor.setModelMarkers(model, OWNER, found.map((/** @type {any[]} */ one) => {
      const level = SEVERITIES[/** @type {keyof typeof SEVERITIES} */ (one[4])];
      const { startLineNumber, startColumn, endLineNumber, endColumn } = range(one);
      const tags = one[4] === 'faded' ? [monaco.MarkerTag.Unnecessary] : [];
      return { startLineNumber, startColumn, endLineNumber, endColumn, severity: monaco.MarkerSeverity[level], message: one[5], tags };
    }));
  }
  parts.push(model.onDidChangeContent((/** @type {any} */ { changes: [{ range: where, text: typed }] }) => {
    clearTimeout(timer);
    timer = setTimeout(() => { void check(); }, CHECK_MS);
    if (typed.length === 1) askAhead(where.getStartPosition().delta(0, 1));
  }));
  timer = setTimeout(() => { void check(); }, CHECK_MS); // it also starts the server, before the first dot
  return {
    dispose() {
      gone.abort();
      clearTimeout(timer);
      for (const part of parts) part.dispose();
      monaco.editor.setModelMarkers(model, OWNER, []);
    },
  };
}

/**
 * @param {string[]} lines of a draft
 * @param {string} word
 * @param {number} here the line on which it stands, from 1
 * @returns {boolean} whether an import on another line names it
 */
function isImported(lines, word, here) {
  return lines.some((line, at) => at + 1 !== here
    && /^\s*(?:import|from)\s/.test(line) && line.split(/[^\p{L}\p{N}_]+/u).includes(word));
}
