// @ts-check
// The next hint, opened in place.

/** @param {(error: unknown) => void} complain */
export function openHints(complain) {
  const box = document.getElementById('hints');
  box?.addEventListener('submit', async (event) => {
    const form = /** @type {HTMLFormElement} */ (event.target);
    event.preventDefault();
    try {
      const body = new URLSearchParams(/** @type {any} */ (new FormData(form)));
      const response = await fetch(form.action, { method: 'POST', body });
      if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
      box.innerHTML = await response.text(); // our own escaped template
      [...box.querySelectorAll('summary')].at(-1)?.focus();
      box.dispatchEvent(new CustomEvent('fresh'));
    } catch (error) {
      complain(error);
    }
  });
}
