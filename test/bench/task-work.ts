import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { apiKeyHash } from '#auth/api-keys.ts';
import type { CountedWork } from './count-work.ts';
import { CountedGateway, type StoreSize, sizeOfStore } from './counted-gateway.ts';
import { BENCH_KEY } from './data-directory.ts';
import { FACES, type FaceName, type FaceTasks } from './face-tasks.ts';
import { scratchDirectory } from './scratch-directory.ts';

/** Tasks before the first count of a process: code is loaded and caches are filled. */
const WARM_UP = 10;
/** Tasks that are counted one after the other; the one with the least work has nothing in it that happens beside a task. */
const COUNTED = 20;

/** What one warm task costs: "hello" to the bundled sample agent, without a follower. */
export interface TaskWork extends Omit<CountedWork, 'files'>, StoreSize {
  files: number;
}

/**
 * Runs the built gateway and counts the tasks of one session, given over `face`. A count in which the task had not ended in time is
 * thrown away.
 */
export async function countTaskWork(face: FaceName = 'REST', counted = COUNTED): Promise<TaskWork> {
  const data = scratchDirectory();
  const config = join(data, 'gateway.bench.yaml');
  const keys = [{ id: 'bench', hash: apiKeyHash(BENCH_KEY), actor: 'actor_bench' }];
  writeFileSync(
    config,
    stringify({
      server: { port: 0 },
      store: { data },
      auth: { api_keys: keys },
      telemetry: { log_level: 'silent' },
    }),
  );
  const first = await runTasks(config, face, WARM_UP);
  const before = await sizeOfStore(data);
  const { works, tasks } = await runTasks(config, face, counted, first.sessionId);
  const after = await sizeOfStore(data);
  const least = (of: (work: CountedWork) => number) => Math.min(...works.map(of));
  return {
    stringify: least((work) => work.stringify),
    parse: least((work) => work.parse),
    sha256: least((work) => work.sha256),
    signatures: least((work) => work.signatures),
    authentications: least((work) => work.authentications),
    calls: least((work) => work.calls),
    redactionCalls: least((work) => work.redactionCalls),
    files: least((work) => work.files.length),
    rows: (after.rows - before.rows) / tasks,
    bytes: (after.bytes - before.bytes) / tasks,
    // A commit that is no task's, among thirty, is none of one task.
    commits: Math.round(((after.commits - before.commits) / tasks) * 10) / 10,
  };
}

/** Starts the gateway, warms it up, and counts tasks. `tasks` is how many it ran in all. */
async function runTasks(config: string, face: FaceName, counted: number, session?: string) {
  const gateway = await CountedGateway.start(config);
  let tasks: FaceTasks | undefined;
  try {
    const { client } = gateway;
    const sessionId = session ?? (await client.session());
    tasks = await FACES[face](client, sessionId);
    return { ...(await countTasks(gateway, tasks, counted)), sessionId };
  } finally {
    await tasks?.close();
    await gateway.stop();
  }
}

async function countTasks(gateway: CountedGateway, face: FaceTasks, counted: number) {
  let tasks = 0;
  const countOne = async () => {
    let answer = '';
    tasks += 1;
    return gateway.workOf(
      async () => {
        answer = await face.run();
      },
      () => face.isOver(answer),
    );
  };
  for (let n = 0; n < WARM_UP; n += 1) await countOne();
  const works: CountedWork[] = [];
  for (let n = 0; n < counted; n += 1) {
    const work = await countOne();
    if (work !== undefined) works.push(work);
  }
  if (works.length === 0) throw new Error('No task ended while it was counted.');
  return { works, tasks };
}
