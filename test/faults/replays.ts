import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { ReplayCheck } from '#resources/replay/schema.ts';
import type { TestClient } from '../harness/client.ts';
import { startTestGateway } from '../harness/gateway.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';
import { Child, PACKAGE_ROOT } from './child-processes.ts';
import { Report } from './report.ts';
import { SeededRandom } from './seeded-random.ts';

/** What tasks say; the sample agent acts on the first word. */
const WORDS = [
  'hello',
  'echo me',
  'stream 3',
  'stream 40',
  'file',
  'slow 0.2',
  'refuse',
  'fail',
  'ask',
  'login',
];
const AT_A_TIME = 20;
const ENDED = ['COMPLETED', 'FAILED', 'CANCELED'] as const;

/**
 * So many tasks are run and recorded here, then replayed by each Node of HARN_TORTURE_NODES (paths of programs, as in PATH; default:
 * this one), each on a copy of the data: every replay is byte_equal.
 */
export async function replays(seed: number, tasks: number): Promise<Report> {
  const report = new Report();
  const folder = mkdtempSync(join(tmpdir(), 'harn-replays-'));
  try {
    const data = join(folder, 'recorded');
    cpSync(mkdtempSync(join(folder, 'empty-')), data, { recursive: true });
    await record(data, new SeededRandom(seed), tasks);
    const nodes = process.env['HARN_TORTURE_NODES']?.split(delimiter) ?? [process.execPath];
    for (const [at, node] of nodes.entries()) {
      const copy = join(folder, `copy-${at}`);
      cpSync(data, copy, { recursive: true });
      await replay(node, copy, tasks, report);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return report;
}

async function record(data: string, random: SeededRandom, tasks: number): Promise<void> {
  const agent = await startSampleAgent();
  const config = { upstreams: { a2a: [{ id: 'sample', card: agent.cardUrl }] } };
  const gateway = await startTestGateway({ data, config });
  try {
    for (let left = tasks; left > 0; left -= AT_A_TIME) {
      const words = Array.from({ length: Math.min(left, AT_A_TIME) }, () => random.pick(WORDS));
      await Promise.all(words.map((text) => run(gateway.client, text)));
    }
  } finally {
    await gateway.close();
    await agent.close();
  }
}

/** Answers whatever is asked; however the task ends is right. */
async function run(client: TestClient, text: string): Promise<void> {
  const { id } = await client.submit(text);
  for (;;) {
    const { status } = await client.until(id, 'INPUT_REQUIRED', 'AUTH_REQUIRED', ...ENDED);
    if (ENDED.some((end) => end === status)) return;
    await client.answer(id, 'blue');
    await client.until(id, 'WORKING', ...ENDED);
  }
}

async function replay(node: string, data: string, tasks: number, report: Report): Promise<void> {
  const child = new Child([`${PACKAGE_ROOT}dist/test/faults/replay-child.js`, data], {}, node);
  const { stdout, stderr, code, signal } = await child.ended;
  if (code !== 0) throw new Error(`${node} ended with ${code ?? signal}: ${stderr}`);
  const { version, check } = JSON.parse(stdout) as { version: string; check: ReplayCheck };
  report.count(`byte_equal on Node ${/^v(\d+)/.exec(version)?.[1]}`, check.tasks.byte_equal);
  report.count('byte-equal replays', check.tasks.byte_equal);
  report.check(
    check.status === 'COMPLETED' && check.tasks.byte_equal === tasks && check.tasks.sampled === tasks,
    () => `${version}: ${JSON.stringify({ ...check, findings: check.findings.slice(0, 5) })}`,
  );
}
