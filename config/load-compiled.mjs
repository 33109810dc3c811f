// Loads the chunks of the bundle with the code that V8 compiled of them when they were built (config/bundle.mjs). What another V8
// or another machine compiled is not used: the chunk is compiled then as any other file.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';

const requireOutside = createRequire(import.meta.url);
const loaded = new Map();

/** The script of each loaded chunk, by its path. */
export const scripts = new Map();

const SUM_BYTES = 4;

/** What a chunk exports; `name` begins with `./` and is relative to this file. A chunk that cannot be loaded is tried again. */
export function load(name) {
  const known = loaded.get(name);
  if (known !== undefined) return known.exports;
  const url = new URL(name, import.meta.url);
  const path = fileURLToPath(url);
  const source = readFileSync(path);
  // By its name alone: V8 keeps that with what it has compiled, and where a package was built is no matter of who runs it.
  const script = new Script(source.toString(), { filename: name, cachedData: compiledCode(path, source) });
  const module = { exports: {} };
  loaded.set(name, module);
  try {
    script.runInThisContext()(module.exports, requireFrom, module, url.href);
  } catch (error) {
    loaded.delete(name);
    throw error;
  }
  scripts.set(path, script);
  return module.exports;
}

function requireFrom(name) {
  return name.startsWith('./') ? load(name) : requireOutside(name);
}

/** V8 takes code as it is, and ends the process over a damaged bit: so its sum is looked at, together with that of its source. */
function compiledCode(path, source) {
  let kept;
  try {
    kept = readFileSync(compiledPath(path));
  } catch {
    return undefined; // None was kept, or it cannot be read: it is compiled again.
  }
  const code = kept.subarray(SUM_BYTES);
  return kept.length > SUM_BYTES && kept.readUInt32LE() === sumOf(source, code) ? code : undefined;
}

/** Keeps what V8 has compiled of the loaded chunks until now, for the next process. */
export function keepCompiled() {
  for (const [path, script] of scripts) {
    const code = script.createCachedData();
    const sum = Buffer.alloc(SUM_BYTES);
    sum.writeUInt32LE(sumOf(readFileSync(path), code));
    writeFileSync(compiledPath(path), Buffer.concat([sum, code]));
  }
}

/** It is that of one kind of processor. */
function compiledPath(path) {
  return `${path}.${process.arch}.compiled`;
}

function sumOf(source, code) {
  return crc32(code, crc32(source));
}
