// @ts-check
// Tab and Enter as code wants them in a plain text area. Esc lets the next Tab leave it; Ctrl+M, every Tab, as in Monaco.
const STEP = '    ';

/** @param {HTMLTextAreaElement} area */
export function indentKeys(area) {
  let once = false;
  let always = false;
  area.addEventListener('blur', () => { once = false; });
  area.addEventListener('keydown', (event) => {
    if (event.isComposing || event.altKey || event.metaKey || event.key === 'Shift') return;
    if (event.ctrlKey) {
      if (event.key !== 'm') return;
      always = !always;
      event.preventDefault();
    } else if (event.key === 'Escape') once = true;
    else if (event.key === 'Tab' && !once && !always) {
      event.preventDefault();
      indent(area, event.shiftKey);
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      const line = area.value.slice(startOf(area), area.selectionStart);
      const deeper = /[:([{]\s*$/.test(line) ? STEP : '';
      type(area, `\n${/^[ \t]*/.exec(line)?.[0] ?? ''}${deeper}`);
    } else if (event.key !== 'Tab') once = false;
  });
}

/** @param {HTMLTextAreaElement} area @returns {number} where the line of the caret begins */
const startOf = (area) => area.value.lastIndexOf('\n', area.selectionStart - 1) + 1;

/** @param {HTMLTextAreaElement} area @param {boolean} back */
function indent(area, back) {
  const [from, to] = [area.selectionStart, area.selectionEnd];
  if (from === to && !back) return type(area, STEP);
  const start = startOf(area);
  const old = area.value.slice(start, to);
  const fresh = old.split('\n').map((line) => (back ? line.replace(/^ {1,4}/, '') : STEP + line)).join('\n');
  if (old === fresh) return;
  area.setSelectionRange(start, to);
  type(area, fresh);
  if (from !== to) area.setSelectionRange(start, start + fresh.length);
  else area.setSelectionRange(...[0, 1].map(() => Math.max(start, from + fresh.length - old.length)));
}

/** @param {HTMLTextAreaElement} area @param {string} text in place of the selection, so that undo takes it back */
export function type(area, text) {
  if (text ? document.execCommand('insertText', false, text) : document.execCommand('delete')) return;
  area.setRangeText(text, area.selectionStart, area.selectionEnd, 'end');
  area.dispatchEvent(new Event('input'));
}
