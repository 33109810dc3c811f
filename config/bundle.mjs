// Bundles the built product into dist/bundle: what `npm start` and the package run. One file instead of 1,500 is read in half
// the time; what is loaded on demand (the SDKs of the protocols) stays in files of its own. Run by `npm run build`.
import { chmod, rm } from 'node:fs/promises';
import { build } from 'esbuild';

const OUT = 'dist/bundle';

await rm(OUT, { recursive: true, force: true });
await build({
  entryPoints: { main: 'dist/src/main.js', 'sample-agent': 'dist/bridges/a2a/sample-agent/main.js' },
  outdir: OUT,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // Errors and commands are known by the names of their classes.
  keepNames: true,
  logLevel: 'warning',
  // A native addon finds its binary beside itself.
  external: ['classic-level'],
  // Packages in CommonJS ask for built-in modules by require.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  },
});
await chmod(`${OUT}/main.js`, 0o755);
