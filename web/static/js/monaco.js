// @ts-check
// Monaco, loaded once a page: style, Chinese strings before the bundle, worker, our two themes.
import { isDark, onTheme } from './theme.js';

/** @type {Promise<any> | undefined} */
let loading;

/**
 * @param {string} lang
 * @returns {Promise<any>} Monaco's module
 */
export function loadMonaco(lang) {
  loading ??= load(lang);
  return loading;
}

/** @param {string} lang */
async function load(lang) {
  const vendor = new URL('../vendor/', import.meta.url);
  const style = styleSheet(new URL('monaco.css', vendor));
  if (lang === 'zh') await classicScript(new URL('monaco.zh-cn.js', vendor));
  self.MonacoEnvironment = { getWorker: () => new Worker(new URL('editor.worker.js', vendor)) };
  const monaco = await import(new URL('monaco.js', vendor).href);
  await style;
  defineThemes(monaco);
  const paint = () => monaco.editor.setTheme(isDark() ? 'judge-dark' : 'judge-light');
  onTheme(paint);
  paint();
  return monaco;
}

// pale enough for every colour of a token to be read on them, in lines that differ as well
const THEMES = {
  'judge-light': {
    base: 'vs', surface: '#ffffff', comment: '5f6b76', number: '076444', lineNumber: '#646d76',
    inserted: ['#2da44e0d', '#2da44e20'], removed: ['#ff000006', '#ff000013'],
  },
  'judge-dark': {
    base: 'vs-dark', surface: '#1a1e23', comment: '97a3af', number: 'b5cea8', lineNumber: '#8b98a5',
    inserted: ['#2ea0430c', '#2ea0431a'], removed: ['#f8514910', '#f851491e'],
  },
};

/** @param {any} monaco */
function defineThemes(monaco) {
  for (const [name, theme] of Object.entries(THEMES)) {
    monaco.editor.defineTheme(name, {
      base: theme.base,
      inherit: true,
      rules: [{ token: 'comment', foreground: theme.comment }, { token: 'number', foreground: theme.number }],
      colors: {
        'editor.background': theme.surface,
        'editorLineNumber.foreground': theme.lineNumber,
        'editorLineNumber.dimmedForeground': theme.lineNumber,
        ...differences('inserted', theme.inserted),
        ...differences('removed', theme.removed),
      },
    });
  }
}

/**
 * Colours of what differs: the line, and the text in it; signs before the lines say the same.
 * @param {string} what @param {string[]} colours
 */
function differences(what, [line, text]) {
  return { [`diffEditor.${what}LineBackground`]: line, [`diffEditor.${what}TextBackground`]: text };
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
