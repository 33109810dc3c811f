import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const OUT = new URL('../dist/bundle/console', import.meta.url).pathname;

/** Files are kept compressed, as browsers take them. */
const compressed: Plugin = {
  name: 'compressed',
  writeBundle() {
    for (const entry of readdirSync(OUT, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const file = join(entry.parentPath, entry.name);
      const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
      writeFileSync(`${file}.br`, brotliCompressSync(readFileSync(file), { params }));
      rmSync(file);
    }
  },
};

/** The packages that the console has code of, for the list of licences. */
const named: Plugin = {
  name: 'named',
  generateBundle(_, bundle) {
    const ids = Object.values(bundle).flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
    const packages = ids.flatMap((id) => /node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []);
    const file = new URL('../dist/bundled-packages.json', import.meta.url);
    const others = JSON.parse(readFileSync(file, 'utf8')) as string[];
    writeFileSync(file, JSON.stringify([...new Set([...others, ...packages])].sort()));
  },
};

export default defineConfig({
  root: new URL('../src/surfaces/console', import.meta.url).pathname,
  base: '/console/',
  publicDir: false,
  logLevel: 'warn',
  plugins: [compressed, named],
  build: {
    outDir: OUT,
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: { checks: { moduleLevelDirective: false } },
  },
});
