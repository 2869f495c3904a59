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

/** @param {any} monaco */
function defineThemes(monaco) {
  for (const [name, base, surface, comment, numbers] of [
    ['judge-light', 'vs', '#ffffff', '5f6b76', '#646d76'],
    ['judge-dark', 'vs-dark', '#1a1e23', '8b98a5', '#8b98a5'],
  ]) {
    monaco.editor.defineTheme(name, {
      base,
      inherit: true,
      rules: [{ token: 'comment', foreground: comment }],
      colors: { 'editor.background': surface, 'editorLineNumber.foreground': numbers, 'editorLineNumber.dimmedForeground': numbers },
    });
  }
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
