import { generateKeyPairSync, hash, sign, verify } from 'node:crypto';
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import canonicalize from 'canonicalize';
import type { JsonObject } from '#protocol/json.ts';
import { draftedChain } from '../harness/drafted-receipts.ts';
import type { Row } from './bench.ts';
import { nowMs } from './closed-loop.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { median } from './statistics.ts';

/** What work is made of; a machine may be three times as slow in one and seven times in another. */
export type Work = 'json' | 'ed25519' | 'sha256';

interface Primitive {
  what: string;
  work: Work;
  /** CPU microseconds on the machine that the absolute targets were set on (quality.md, baselines). */
  referenceUs: number;
  calls: number;
  run(): unknown;
}

const ROUNDS = 5;
const RECEIPT_CHARS = 3_300;
const SYNCS = 100;
const SYNCED_BYTES = 4_096;

/** Microseconds of CPU per call here, and how many times as long as on the reference machine. */
interface Measured extends Primitive {
  us: number;
  slowness: number;
}

let measured: readonly Measured[] | undefined;

/** How many times as long such work takes here as on the machine that absolute targets were set on; measured once. */
export function slowness(work: Work): number {
  return median(
    machine()
      .filter((one) => one.work === work)
      .map((one) => one.slowness),
  );
}

let syncMs: number | undefined;

/** Median milliseconds until 4 KB are on the disk that the benches write to; measured once in a run. */
export function fsyncMs(): number {
  syncMs ??= median(syncs());
  return syncMs;
}

function syncs(): number[] {
  const file = openSync(join(scratchDirectory(), 'synced'), 'a');
  try {
    return Array.from({ length: SYNCS }, () => {
      const startedAt = nowMs();
      writeSync(file, Buffer.alloc(SYNCED_BYTES, 1));
      fdatasyncSync(file);
      return nowMs() - startedAt;
    });
  } finally {
    closeSync(file);
  }
}

/** The machine itself, so that absolute figures can be read. */
export function machineRows(): Row[] {
  return [...machine().map(cpuRow), fsyncRow()];
}

function fsyncRow(): Row {
  const what = `this machine: ${SYNCED_BYTES / 1024} KB written and synced, p50`;
  const figures = { fsyncMs: fsyncMs() };
  const measured = `${fsyncMs().toFixed(2)} ms`;
  return { id: 'M', what, measured, baseline: '', ratio: undefined, target: '', met: undefined, figures };
}

function cpuRow({ what, us, referenceUs, slowness: times }: Measured): Row {
  return {
    id: 'M',
    what: `this machine: ${what}`,
    measured: `${us.toFixed(1)} us CPU`,
    baseline: `reference machine: ${referenceUs} us`,
    ratio: times,
    target: '',
    met: undefined,
    figures: { us, slowness: times },
  };
}

/** The verdict about an absolute time or rate: as it is, and at the speed of the reference machine. */
export function against(
  value: number,
  limit: { most: number } | { least: number },
  work: Work,
): Pick<Row, 'met' | 'metAtReference'> {
  const times = slowness(work);
  if ('most' in limit) return { met: value <= limit.most, metAtReference: value / times <= limit.most };
  return { met: value >= limit.least, metAtReference: value * times >= limit.least };
}

function machine(): readonly Measured[] {
  measured ??= primitives().map((one) => {
    const us = median(Array.from({ length: ROUNDS }, () => cpuUsOf(one)));
    return { ...one, us, slowness: us / one.referenceUs };
  });
  return measured;
}

function cpuUsOf({ calls, run }: Primitive): number {
  const before = process.cpuUsage();
  for (let call = 0; call < calls; call += 1) run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

function primitives(): Primitive[] {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const digest = Buffer.alloc(32, 7);
  const signature = sign(null, digest, privateKey);
  const receipt = receiptOf(RECEIPT_CHARS);
  const text = JSON.stringify(receipt);
  return [
    {
      what: 'Ed25519 sign',
      work: 'ed25519',
      referenceUs: 34,
      calls: 400,
      run: () => sign(null, digest, privateKey),
    },
    {
      what: 'Ed25519 verify',
      work: 'ed25519',
      referenceUs: 97,
      calls: 200,
      run: () => verify(null, digest, publicKey, signature),
    },
    {
      what: 'SHA-256 of 3.3 KB',
      work: 'sha256',
      referenceUs: 2.5,
      calls: 4_000,
      run: () => hash('sha256', text, 'hex'),
    },
    {
      what: 'JSON.stringify of 3.3 KB',
      work: 'json',
      referenceUs: 7.3,
      calls: 4_000,
      run: () => JSON.stringify(receipt),
    },
    {
      what: 'canonicalize of 3.3 KB',
      work: 'json',
      referenceUs: 41,
      calls: 1_000,
      run: () => canonicalize(receipt),
    },
  ];
}

/** A receipt of this size as JSON, as the reference figures are of. */
function receiptOf(chars: number): JsonObject {
  const [plain] = draftedChain(1) as unknown as JsonObject[];
  const metadata: JsonObject = {};
  for (let n = 0; JSON.stringify({ ...plain, metadata }).length < chars; n += 1)
    metadata[`member_${n}`] = 'x'.repeat(40);
  return { ...plain, metadata };
}
