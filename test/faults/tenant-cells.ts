import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SUPPORTED_VERSIONS, type VersionId } from '#protocol/versions.ts';
import { OPERATIONS, type OperationRow } from '#resources/operations.ts';
import {
  isSeen,
  STRANGERS,
  strangerKeys,
  withoutRequestId,
  worldConfig,
} from '../conformance/access-strangers.ts';
import { BODIES, type Ids, makeWorld } from '../conformance/access-world.ts';
import { TestClient } from '../harness/client.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';
import { Report } from './report.ts';
import { SeededRandom } from './seeded-random.ts';

const AT_A_TIME = 16;

/** A call of a stranger that names something of somebody else. */
interface Cell {
  actor: string;
  version: VersionId;
  id: string;
  row: OperationRow;
  /** The path parameter that is set, and what kind of thing it names. */
  name: string;
  kind: string;
}

/**
 * Strangers of another tenant and of other workspaces call every operation, in every version, with the id of every kind of thing of
 * a world that is not theirs: the answer is the one for an id that nothing has. Drawn by lot, each cell once.
 */
export async function tenantCells(seed: number, cells: number): Promise<Report> {
  const report = new Report();
  const random = new SeededRandom(seed);
  const folder = mkdtempSync(join(tmpdir(), 'harn-cells-'));
  const file = join(folder, 'connector-secret');
  writeFileSync(file, 'a-connector-secret-0123456789');
  const agent = await startSampleAgent();
  const upstreams = { a2a: [{ id: 'sample', card: agent.cardUrl }] };
  const gateway = await startTestGateway({
    config: { ...worldConfig(file), upstreams },
    keys: strangerKeys(),
  });
  try {
    const { real, absent } = await makeWorld(gateway);
    const drawn = shuffled(allCells(Object.keys(real)), random).slice(0, cells);
    for (let at = 0; at < drawn.length; at += AT_A_TIME)
      await Promise.all(
        drawn.slice(at, at + AT_A_TIME).map((cell) => judge(gateway, cell, { real, absent }, report)),
      );
  } finally {
    await gateway.close();
    await agent.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return report;
}

function allCells(kinds: readonly string[]): Cell[] {
  return Object.entries<OperationRow>(OPERATIONS)
    .filter(([, { path, scope }]) => path.includes('{') && scope !== 'public' && scope !== 'signature')
    .flatMap(([id, row]) =>
      [...row.path.matchAll(/\{(\w+)\}/g)].flatMap(([, name = '']) =>
        STRANGERS.flatMap(({ actor }) =>
          kinds
            .filter((kind) => !(isSeen(actor, kind) && (kind === name || name === 'agent_id')))
            .flatMap((kind) =>
              SUPPORTED_VERSIONS.map((version) => ({
                actor,
                version,
                id,
                row,
                name,
                kind,
              })),
            ),
        ),
      ),
    );
}

function shuffled<T>(items: T[], random: SeededRandom): T[] {
  for (let at = items.length - 1; at > 0; at -= 1) {
    const other = random.between(0, at);
    [items[at], items[other]] = [items[other] as T, items[at] as T];
  }
  return items;
}

async function judge(
  { url, clients }: TestGateway,
  { actor, version, id, row, name, kind }: Cell,
  { real, absent }: { real: Ids; absent: Ids },
  report: Report,
): Promise<void> {
  const client = new TestClient(url, clients[actor]?.key ?? '', version);
  const answer = async (value: string) => {
    const ids = { ...absent, [name]: value };
    const path = row.path.replace(/\{(\w+)\}/g, (_, param: string) => ids[param] ?? 'absent');
    const body = row.body === 'bytes' ? Buffer.from('x') : row.body && (BODIES[id]?.(absent) ?? {});
    const { status, text } = await client.call(row.method, path, body === undefined ? {} : { body });
    return `${status} ${withoutRequestId(text)}`;
  };
  const never = await answer(absent[name] ?? 'absent');
  const there = await answer(real[kind] ?? '');
  report.count('cells');
  report.check(
    never.startsWith('404 ') && there === never,
    () => `${actor} ${id} in ${version}, ${name} of a ${kind}: ${there}, and of nothing: ${never}`,
  );
}
