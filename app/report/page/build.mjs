// Builds the page: all sources and libraries into the one file data/report/template.html, and the sums by which a test can tell
// that the file was built from these sources. `npm ci && npm run build`.

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../../..');
const target = join(root, 'data/report');
const read = (...path) => readFileSync(join(here, ...path), 'utf8');

function bundle(source) {
  const result = buildSync({
    absWorkingDir: here, entryPoints: [source], bundle: true, minify: true, write: false, format: 'iife', target: 'es2021',
    charset: 'utf8', legalComments: 'none',
  });
  return result.outputFiles[0].text.trim();
}

const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const sum = (path) => `${createHash('sha256').update(readFileSync(path)).digest('hex')}  ${relative(root, path)}`;

const script = bundle('src/main.js');
const style = bundle('src/style.css');
for (const word of ['</script', '<!--', '<script']) {
  if (script.includes(word)) throw new Error(`The script holds "${word}", which ends or changes a script in HTML.`);
}
const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data: blob:; base-uri 'none'; form-action 'none'`;
const licences = ['three', 'uplot']
  .map((name) => `${name} ${JSON.parse(read('node_modules', name, 'package.json')).version}\n\n${read('node_modules', name, 'LICENSE').trim()}`)
  .join('\n\n');
if (licences.includes('--')) throw new Error('A licence holds "--", which may not stand in a comment.');

const parts = { POLICY: policy, LICENCES: licences, STYLE: style, SCRIPT: script, DATA: '<!-- data -->' };
const page = read('src/page.html').replace(/@([A-Z]+)@/g, (_, name) => parts[name]);
mkdirSync(target, { recursive: true });
writeFileSync(join(target, 'template.html'), page);

const sources = ['build.mjs', 'package.json', 'package-lock.json', ...readdirSync(join(here, 'src')).sort().map((name) => `src/${name}`)];
const sums = [...sources.map((name) => join(here, name)), join(target, 'template.html')].map(sum);
writeFileSync(join(target, 'template.sha256'), `${sums.join('\n')}\n`);
console.log(`data/report/template.html: ${Math.round(page.length / 1024)} KiB`);
