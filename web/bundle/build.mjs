// Bundles the third-party code of the workspace into the folder named on the command line.
// Our own modules import `vendor/monaco.js` by address, so editing them never needs a rebuild.
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const modules = join(here, 'node_modules');
const out = process.argv[2];
if (!out) throw new Error('usage: node build.mjs OUTPUT_FOLDER');
await mkdir(out, { recursive: true });

const options = {
  bundle: true,
  minify: true,
  target: 'es2022',
  legalComments: 'external',
  logLevel: 'warning',
  outdir: out,
  loader: { '.ttf': 'file', '.woff2': 'file' },
  // KaTeX's style sheet names each font three times; every browser that runs Monaco takes woff2.
  plugins: [{
    name: 'woff2-only',
    setup: (b) => b.onResolve({ filter: /KaTeX_.*\.(ttf|woff)$/ }, (args) => ({ path: args.path, external: true })),
  }, {
    // monaco-vim names Monaco's files as they lay before its exports map, and its "browser" file breaks when bundled.
    name: 'vim',
    setup: (b) => {
      b.onResolve({ filter: /^monaco-editor\/esm\/vs\// }, (args) => ({ path: join(modules, `${args.path.replace(/\.js$/, '')}.js`) }));
      b.onResolve({ filter: /^monaco-vim$/ }, () => ({ path: join(modules, 'monaco-vim/dist/index.mjs') }));
    },
  }],
};
await build({
  ...options,
  format: 'esm',
  splitting: true, // Vim mode must share the one Monaco
  entryPoints: [join(here, 'entries/monaco.js'), join(here, 'entries/vim.js'), join(here, 'entries/katex.js'), join(modules, 'katex/dist/katex.css')],
  entryNames: '[name]',
});
await build({ ...options, format: 'iife', entryPoints: [join(here, 'entries/editor.worker.js')] });

// A classic script that sets globalThis._VSCODE_NLS_MESSAGES; it has to run before the bundle.
await copyFile(join(modules, 'monaco-editor/esm/vs/nls/lang/zh-cn.js'), join(out, 'monaco.zh-cn.js'));
for (const [from, to] of [
  ['monaco-editor/LICENSE', 'monaco-editor.LICENSE.txt'],
  ['monaco-editor/ThirdPartyNotices.txt', 'monaco-editor.ThirdPartyNotices.txt'],
  ['katex/LICENSE', 'katex.LICENSE.txt'],
  ['monaco-vim/LICENSE', 'monaco-vim.LICENSE.txt'],
]) await copyFile(join(modules, from), join(out, to));

const squeeze = promisify(brotliCompress);
const zip = promisify(gzip);
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
await Promise.all((await readdir(out)).filter((name) => /\.(js|css)$/.test(name)).map(async (name) => {
  const raw = await readFile(join(out, name));
  await writeFile(join(out, `${name}.br`), await squeeze(raw, quality));
  await writeFile(join(out, `${name}.gz`), await zip(raw, { level: 9 }));
}));
