/**
 * Damages copies of a data directory and compares what a gateway on each serves with the truth. A process of its own,
 * because LevelDB may abort: bit-flip-child.js <pristine data> <truth.json> <scratch> <seed> <first> <last>
 * Prints one JSON line before each flip and one after it.
 */
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { IntegrityError, StoreOpenError } from '#store/store-errors.ts';
import type { TestGateway } from '../harness/gateway.ts';
import { SeededRandom } from './seeded-random.ts';
import { openStocked, type Truth } from './stocked-data.ts';

export interface FlipVerdict {
  flip: number;
  where: string;
  /** Not there before and after an abort. */
  done?: true;
  refused?: string;
  served: number;
  locked: number;
  missing: string[];
  wrong: string[];
}

const DAMAGEABLE = /\.(ldb|log)$|^MANIFEST|^CURRENT$/;
const SHOWN = 100;
const LOG_LINES = 2;
const LINE_CHARS = 1_000;

/** Flips one bit of one file; tables and logs are chosen by their size. */
function damage(store: string, random: SeededRandom): string {
  const files = readdirSync(store)
    .filter((name) => DAMAGEABLE.test(name))
    .map((name) => ({ name, size: statSync(join(store, name)).size }))
    .filter(({ size }) => size > 0);
  const total = files.reduce((sum, { size }) => sum + size, 0);
  let at = random.chance(0.15) ? -1 : random.between(0, total - 1);
  let chosen = random.pick(files);
  for (const file of files) {
    if (at < 0) break;
    chosen = file;
    if (at < file.size) break;
    at -= file.size;
  }
  const offset = at < 0 ? random.between(0, chosen.size - 1) : at;
  const bit = random.between(0, 7);
  const bytes = readFileSync(join(store, chosen.name));
  bytes[offset] = (bytes[offset] ?? 0) ^ (1 << bit);
  writeFileSync(join(store, chosen.name), bytes);
  return `${chosen.name} byte ${offset} bit ${bit}`;
}

async function judge(gateway: TestGateway, truth: Truth, verdict: FlipVerdict): Promise<void> {
  // The lost end of a log is told by /ready; what is before it is served as it was (D-04).
  if (gateway.log.integrity.status === 'truncated') {
    verdict.refused = 'truncated';
    if ((await gateway.client.call('GET', '/ready')).status !== 503)
      verdict.wrong.push('/ready hides the cut');
    return;
  }
  for (const [path, expected] of Object.entries(truth)) {
    const { status, text } = await gateway.client.call('GET', path);
    if (status === 200 && text === expected) verdict.served += 1;
    else if (status === 423 && text.includes('"reason":"integrity"')) verdict.locked += 1;
    else if (status === 404) verdict.missing.push(path);
    else verdict.wrong.push(`${path}: ${status} ${difference(expected, text)}`);
  }
  for (const line of gateway
    .logText()
    .split('\n')
    .filter((text) => text.includes('"level":"error"'))
    .slice(0, LOG_LINES))
    if (verdict.wrong.length > 0) verdict.wrong.push(`logged ${line.slice(0, LINE_CHARS)}`);
  const made = await gateway.client.call('POST', '/v1/sessions', {
    body: { workspace_id: 'workspace_default' },
  });
  if (![201, 423, 503].includes(made.status))
    verdict.wrong.push(`a new session: ${made.status} ${made.text}`);
}

function difference(expected: string, observed: string): string {
  let at = 0;
  while (at < expected.length && expected[at] === observed[at]) at += 1;
  const from = Math.max(0, at - 40);
  return `expected ...${expected.slice(from, from + SHOWN)}, observed ...${observed.slice(from, from + SHOWN)}`;
}

async function flipOnce(data: string, truth: Truth, verdict: FlipVerdict): Promise<void> {
  let gateway: TestGateway;
  try {
    gateway = await openStocked(data);
  } catch (error) {
    if (error instanceof StoreOpenError) verdict.refused = error.reason;
    else if (error instanceof IntegrityError) verdict.refused = 'damaged at its newest commit';
    else throw error;
    return;
  }
  try {
    await judge(gateway, truth, verdict);
  } finally {
    await gateway.close();
  }
}

async function main(args: readonly string[]): Promise<void> {
  const [pristine = '', truthFile = '', scratch = ''] = args;
  const [seed = 0, first = 0, last = 0] = args.slice(3).map(Number);
  const truth = JSON.parse(readFileSync(truthFile, 'utf8')) as Truth;
  for (let flip = first; flip <= last; flip += 1) {
    const data = join(scratch, `flip-${flip}`);
    cpSync(pristine, data, { recursive: true });
    const where = damage(join(data, 'store'), new SeededRandom(seed * 100_003 + flip));
    const verdict: FlipVerdict = { flip, where, served: 0, locked: 0, missing: [], wrong: [] };
    writeSync(1, `${JSON.stringify(verdict)}\n`);
    try {
      await flipOnce(data, truth, verdict);
    } catch (error) {
      verdict.wrong.push(`the gateway broke: ${error instanceof Error ? error.stack : String(error)}`);
    }
    writeSync(1, `${JSON.stringify({ ...verdict, done: true })}\n`);
    rmSync(data, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main(process.argv.slice(2));
