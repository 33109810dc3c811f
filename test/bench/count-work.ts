import crypto from 'node:crypto';
import { Session } from 'node:inspector';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Preload for a gateway process (`node --import`): between the messages `begin` and `take` it counts JSON texts, SHA-256
 * hashes, signatures, comparisons of credentials, and the calls of named functions of the product. It reads no clock, so its
 * figures do not depend on the machine. The process has to be forked, with an IPC channel.
 */

/** What a process did between `begin` and `take`. */
export interface CountedWork {
  stringify: number;
  parse: number;
  sha256: number;
  signatures: number;
  authentications: number;
  /** Calls of named functions in src, bridges and mappings. */
  calls: number;
  /** Those of them in src/redaction. */
  redactionCalls: number;
  /** Files of the product of which a function ran. */
  files: string[];
}

type Counter = 'stringify' | 'parse' | 'sha256' | 'signatures' | 'authentications';

/** One function in the answer of `Profiler.takePreciseCoverage`. */
interface CoveredScript {
  url: string;
  functions: { functionName: string; ranges: { count: number }[] }[];
}

const PRODUCT = /\/dist\/((?:src|bridges|mappings)\/.*)$/;
/** Built-in functions by what a call of them counts as. */
const COUNTED_CRYPTO: Readonly<Record<string, Counter>> = {
  hash: 'sha256',
  createHash: 'sha256',
  sign: 'signatures',
  timingSafeEqual: 'authentications',
};

const counts: Record<Counter, number> = {
  stringify: 0,
  parse: 0,
  sha256: 0,
  signatures: 0,
  authentications: 0,
};

counted(JSON as unknown as Functions, 'stringify', 'stringify');
counted(JSON as unknown as Functions, 'parse', 'parse');
for (const [name, counter] of Object.entries(COUNTED_CRYPTO))
  counted(crypto as unknown as Functions, name, counter);
// Modules that import the functions by name see the counting ones too.
syncBuiltinESMExports();

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

process.on('message', (message) => {
  if (message !== 'begin' && message !== 'take') return;
  session.post('Profiler.takePreciseCoverage', (error, answer) => {
    if (error) throw error;
    // Each reading starts the counters of the functions anew; the message itself is JSON too, so ours start behind it.
    if (message === 'take') process.send?.(workOf(answer.result));
    else process.send?.('begun');
    for (const name of Object.keys(counts) as Counter[]) counts[name] = 0;
  });
});
// The gateway decides when it ends, not the channel.
process.channel?.unref();

function workOf(scripts: readonly CoveredScript[]): CountedWork {
  const work: CountedWork = { ...counts, calls: 0, redactionCalls: 0, files: [] };
  for (const { url, functions } of scripts) {
    const file = PRODUCT.exec(url)?.[1];
    if (file === undefined) continue;
    let inFile = 0;
    for (const { functionName, ranges } of functions)
      if (functionName !== '') inFile += ranges[0]?.count ?? 0;
    if (inFile === 0) continue;
    work.files.push(file);
    work.calls += inFile;
    if (file.startsWith('src/redaction/')) work.redactionCalls += inFile;
  }
  return work;
}

type Functions = Record<string, ((...args: unknown[]) => unknown) | undefined>;

function counted(owner: Functions, name: string, counter: Counter): void {
  const original = owner[name];
  if (original === undefined) return; // crypto.hash came with Node 20.12.
  owner[name] = function (this: unknown, ...args: unknown[]) {
    counts[counter] += 1;
    return original.apply(this, args);
  };
}
