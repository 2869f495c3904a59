// @ts-check
// TeX in statements, typeset by KaTeX where the bundle is there; else it stays readable TeX.

/** @param {boolean} vendor whether the bundle is installed */
export async function typeset(vendor) {
  const formulas = document.querySelectorAll('.math:not([data-typeset])');
  if (!vendor || !formulas.length) return;
  const { default: katex } = await import(new URL('../vendor/katex.js', import.meta.url).href);
  for (const formula of formulas) {
    if (!(formula instanceof HTMLElement)) continue;
    const options = { displayMode: formula.tagName === 'DIV', throwOnError: false, trust: false };
    formula.dataset.typeset = '';
    katex.render(formula.textContent ?? '', formula, options);
    if (!options.displayMode) keepWithPunctuation(formula);
  }
}

/**
 * Browsers break a line after a formula, even before a full stop: bind the two together.
 * @param {HTMLElement} formula
 */
function keepWithPunctuation(formula) {
  const next = formula.nextSibling;
  if (!(next instanceof Text) || !/^[,.;:!?)，。；：！？、）]/.test(next.data)) return;
  const bound = document.createElement('span');
  bound.className = 'bound';
  formula.before(bound);
  bound.append(formula, next.data[0]);
  next.data = next.data.slice(1);
}
