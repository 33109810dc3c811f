import { createReadStream, createWriteStream, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BundleMode } from '#resources/bundle/session-bundle-schema.ts';
import { bundleText, readJson } from '../resources/bundle/unit/bundles.ts';
import { amount, type Bench, type BenchOptions, type Row } from './bench.ts';
import { Child } from './child.ts';
import { nowMs } from './closed-loop.ts';
import { writeConfig } from './data-directory.ts';
import { type GatewayAddress, GatewayClient } from './gateway-client.ts';
import { scratchDirectory } from './scratch-directory.ts';

const MB = 1024 * 1024;
const WATCH_EVERY_MS = 100;

/** Turns of the session; each is an event. */
const SIZES = { quick: 2_000, normal: 100_000 };
/** So many times shorter is the session that comes first: what it takes in memory shows that a longer one takes no more. */
const SHORTER = 4;

/**
 * A long session comes into one gateway as the bundle of another host, which is the fastest way to have one, leaves it as a
 * local bundle, and comes into a second gateway.
 */
export const bundles: Bench = {
  id: 'P14',
  title: 'export and import of a long session',
  async run({ effort, ...given }) {
    const size = amount(effort, SIZES);
    return [...(await sessionOf(size / SHORTER, given)), ...(await sessionOf(size, given))];
  },
};

/** Each size has its own gateways, so that none begins with the memory of another one. */
async function sessionOf(
  size: number,
  { progress, profileDir }: Omit<BenchOptions, 'effort'>,
): Promise<Row[]> {
  const config = () => writeConfig(scratchDirectory());
  const options = () => ({ args: { config: config(), echo: false }, profileDir });
  const [from, to] = ['gateway-child', 'gateway-child'].map(
    (name) => new Child<GatewayAddress>(name, options()),
  ) as [Child<GatewayAddress>, Child<GatewayAddress>];
  const client = new GatewayClient(await from.ready, 2);
  const other = new GatewayClient(await to.ready, 2);
  try {
    const foreign = await foreignBundle(size);
    const begun = await measured(from, () => upload(client, foreign));
    const { session_id, events } = JSON.parse(begun.answer) as { session_id: string; events: number };
    progress(`${events} events are recorded in ${begun.tookMs.toFixed(0)} ms`);
    const file = join(scratchDirectory(), `long-${size}.bundle.json`);
    const exported = await measured(from, () => download(client, session_id, 'local', file));
    progress(`exported in ${exported.tookMs.toFixed(0)} ms, ${(statSync(file).size / MB).toFixed(0)} MB`);
    const withheld = join(scratchDirectory(), `withheld-${size}.bundle.json`);
    const without = await measured(from, () => download(client, session_id, 'replay_only', withheld));
    const imported = await measured(to, () => upload(other, file));
    const bytesOf = (path: string) => statSync(path).size;
    return [
      row('import from another host', events, bytesOf(foreign), begun),
      row('export', events, bytesOf(file), exported),
      row('export without payloads', events, bytesOf(withheld), without),
      row('import', events, bytesOf(file), imported),
    ];
  } finally {
    await Promise.all([client.close(), other.close(), from.stop(), to.stop()]);
  }
}

/** The path of a bundle with so many turns; short ones, so that what is measured are events and not texts. */
async function foreignBundle(turns: number): Promise<string> {
  const messages = Array.from({ length: turns }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: `Turn ${at}.`,
  }));
  const record = readJson(join(process.cwd(), 'fixtures', 'bundles', 'run-record.json'));
  const file = join(scratchDirectory(), `other-${turns}.bundle.json`);
  writeFileSync(file, await bundleText({ ...record, transcript: { messages } }, 'sanitized'));
  return file;
}

interface Measured {
  tookMs: number;
  /** CPU time of the gateway, milliseconds: on a shared machine it says more than the time it took. */
  cpuMs: number;
  /** Most resident memory above what the idle gateway had; what the collector has not looked at yet is in it. */
  grownBytes: number;
  answer: string;
}

async function measured(child: Child<GatewayAddress>, work: () => Promise<string>): Promise<Measured> {
  const before = await child.usage();
  let peakBytes = before.rssBytes;
  let isOver = false;
  const watch = async () => {
    while (!isOver) peakBytes = Math.max(peakBytes, (await child.usage()).rssBytes, await pause());
  };
  const watching = watch();
  const startedAt = nowMs();
  const answer = await work().finally(() => {
    isOver = true;
  });
  const tookMs = nowMs() - startedAt;
  await watching;
  const cpuMs = ((await child.usage()).cpuUs - before.cpuUs) / 1_000;
  return { tookMs, cpuMs, grownBytes: peakBytes - before.rssBytes, answer };
}

/** Between two looks at the memory; adds nothing to what was seen. */
function pause(): Promise<number> {
  return new Promise((resolve) => setTimeout(resolve, WATCH_EVERY_MS, 0));
}

async function download(
  client: GatewayClient,
  session: string,
  mode: BundleMode,
  file: string,
): Promise<string> {
  const response = await fetch(`${client.url}/v1/bundles/export`, {
    method: 'POST',
    headers: { ...client.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ session_id: session, mode }),
  });
  if (!response.ok || response.body === null)
    throw new Error(`The export was refused: ${await response.text()}`);
  await pipeline(Readable.fromWeb(response.body as never), createWriteStream(file));
  return '';
}

async function upload(client: GatewayClient, file: string): Promise<string> {
  const response = await fetch(`${client.url}/v1/bundles/import`, {
    method: 'POST',
    headers: {
      ...client.headers,
      'content-type': 'application/json',
      'content-length': String(statSync(file).size),
    },
    body: Readable.toWeb(createReadStream(file)) as never,
    duplex: 'half',
  } as RequestInit);
  const text = await response.text();
  if (!response.ok) throw new Error(`The import was refused: ${text}`);
  return text;
}

function row(what: string, events: number, bytes: number, measured: Measured): Row {
  const { tookMs, cpuMs, grownBytes } = measured;
  const [perSecond, perCpuSecond] = [tookMs, cpuMs].map((ms) => ((events / ms) * 1_000).toFixed(0));
  return {
    id: 'P14',
    what: `${what} of a session of ${events} events, a bundle of ${(bytes / MB).toFixed(0)} MB`,
    measured: `${perSecond} events/s (${perCpuSecond} per CPU second), ${(grownBytes / MB).toFixed(0)} MB more memory at most`,
    baseline: '',
    ratio: undefined,
    target: '',
    met: undefined,
    figures: { events, bytes, tookMs, cpuMs, grownBytes },
  };
}
