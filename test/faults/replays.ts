import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { ReplayCheck } from '#resources/replay/schema.ts';
import { startTestGateway } from '../harness/gateway.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';
import { SAMPLE_RUNS } from '../harness/runs.ts';
import { Child, PACKAGE_ROOT } from './child-processes.ts';
import { Report } from './report.ts';
import { SeededRandom } from './seeded-random.ts';

/** Runs of the sample agent; those that take seconds come seldom. */
const QUICK = Object.keys(SAMPLE_RUNS).filter((name) => !['slow', 'cancel', 'interrupt'].includes(name));
const SELDOM = 0.03;
const AT_A_TIME = 20;

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
      const names = Array.from({ length: Math.min(left, AT_A_TIME) }, () =>
        random.pick(random.chance(SELDOM) ? Object.keys(SAMPLE_RUNS) : QUICK),
      );
      await Promise.all(names.map((name) => SAMPLE_RUNS[name]?.(gateway.client)));
    }
  } finally {
    await gateway.close();
    await agent.close();
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
