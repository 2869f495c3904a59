// @ts-check
// Two sources side by side: Monaco's diff editor where the bundle is there, else the server's list of lines.
import { loadMonaco } from './monaco.js';

/**
 * @param {HTMLElement} host is filled
 * @param {string} before
 * @param {string} after
 * @param {{vendor: boolean, lang: string, label: string}} options
 * @returns {Promise<() => void>} ends it
 */
export async function showDifference(host, before, after, options) {
  const monaco = await loadMonaco(options.lang);
  const inside = document.createElement('div');
  inside.className = 'monaco-diff';
  host.replaceChildren(inside);
  const editor = monaco.editor.createDiffEditor(inside, {
    automaticLayout: true,
    colorDecorators: false,
    readOnly: true,
    originalEditable: false,
    editContext: false,
    minimap: { enabled: false },
    renderOverviewRuler: false,
    scrollBeyondLastLine: false,
    hideUnchangedRegions: { enabled: true },
    unicodeHighlight: { ambiguousCharacters: false },
  });
  const models = [before, after].map((source) => monaco.editor.createModel(source, 'python'));
  editor.setModel({ original: models[0], modified: models[1] });
  for (const side of [editor.getOriginalEditor(), editor.getModifiedEditor()]) {
    side.updateOptions({ ariaLabel: options.label });
    side.getDomNode()?.querySelector('textarea')?.setAttribute('aria-label', options.label);
  }
  Object.assign(inside, { editor });
  return () => {
    editor.dispose();
    models.forEach((model) => model.dispose());
  };
}

/**
 * The same as a list of lines made by the server.
 * @param {HTMLElement} host is filled
 * @param {string} before
 * @param {string} after
 * @param {string} url
 */
export async function showLines(host, before, after, url) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ old: before, new: after }),
  });
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  host.innerHTML = await response.text(); // our own escaped template
}
