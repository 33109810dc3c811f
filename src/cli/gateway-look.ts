import type { PermissionRequest } from '#resources/permission/schema.ts';
import { inputWords } from '#resources/task/listing.ts';
import type { Task } from '#resources/task/schema.ts';
import { askReady, type ClientOptions, ForbiddenError, GatewayClient } from './client.ts';
import { CliError, EXIT } from './exit-codes.ts';
import { type ItemOf, itemsOf, type ListParams, type ListPath } from './listing.ts';

/** What is seen of a gateway at one moment. What the key may not see, or cannot be reached, is null. */
export interface Look {
  time: string;
  /** Null: no gateway was found. */
  url: string | null;
  ready: boolean;
  /** Why it takes no work, or why no more is known. */
  error: string | null;
  version: string | null;
  running: number | null;
  queued: number | null;
  /** Permission requests that wait for a person. */
  approvals: number | null;
  throughput: Throughput | null;
  /** The newest that run or are queued. */
  tasks: readonly SeenTask[];
  /** The newest that wait for a person. */
  waiting: readonly SeenRequest[];
}

/** Tasks that ended since the start of the gateway; per second since the look before, null in the first one. */
interface Throughput {
  ended: number;
  failed: number;
  tasks_per_s: number | null;
  events_per_s: number | null;
}

export type SeenTask = Pick<
  Task,
  'id' | 'status' | 'assigned_agent_id' | 'session_id' | 'created_at' | 'started_at'
> & { input: string };
export type SeenRequest = Pick<PermissionRequest, 'id' | 'task_id' | 'created_at'> & {
  kind: string;
  message: string;
};

/** What a scrape of /metrics says. */
interface Sample {
  running: number;
  queued: number;
  ended: number;
  failed: number;
  events: number;
}

type Seen = Omit<Look, 'time' | 'url' | 'ready' | 'error'>;
const NOTHING: Seen = {
  version: null,
  running: null,
  queued: null,
  approvals: null,
  throughput: null,
  tasks: [],
  waiting: [],
};

/** Items of each kind that a look reads at most. */
const MOST = 100;

/** Looks at a gateway again and again. One that goes away is told in the look, and found again when it is back. */
export class Looker {
  readonly #options: ClientOptions;
  #wasThere = false;
  #before: { sample: Sample; atMs: number } | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** Throws CliError for wrong usage, such as a missing key, until a gateway was there. */
  async look(): Promise<Look> {
    const head = { time: new Date().toISOString(), url: null, ready: false, error: null };
    try {
      const { url, ready, reason } = await askReady(this.#options);
      Object.assign(head, { url, ready, error: reason });
      const seen = await this.#seen(new GatewayClient(this.#options));
      this.#wasThere = true;
      return { ...head, ...seen };
    } catch (error) {
      if (!(error instanceof CliError) || (error.exitCode === EXIT.usage && !this.#wasThere)) throw error;
      return { ...head, error: error.message, ...NOTHING };
    }
  }

  async #seen(client: GatewayClient): Promise<Seen> {
    const { version } = await client.api.get('/v1/runtime');
    const [working, submitted, requests, sample] = await Promise.all([
      newest(client, '/v1/tasks', { query: { status: 'WORKING' } }),
      newest(client, '/v1/tasks', { query: { status: 'SUBMITTED' } }),
      newest(client, '/v1/permission-requests', { query: { status: 'pending' } }),
      sampleOf(client),
    ]);
    return {
      version,
      running: sample?.running ?? working?.length ?? null,
      queued: sample?.queued ?? submitted?.length ?? null,
      approvals: requests?.length ?? null,
      throughput: sample === undefined ? null : this.#throughput(sample),
      tasks: [...(working ?? []), ...(submitted ?? [])].map(seenTask),
      waiting: (requests ?? []).map(seenRequest),
    };
  }

  #throughput(sample: Sample): Throughput {
    const before = this.#before;
    const atMs = performance.now();
    this.#before = { sample, atMs };
    const { ended, failed } = sample;
    // A gateway that was started again counts its tasks from 0.
    if (before === undefined || ended < before.sample.ended)
      return { ended, failed, tasks_per_s: null, events_per_s: null };
    const seconds = Math.max(0.001, (atMs - before.atMs) / 1_000);
    const rate = (now: number, then: number) => Math.round((Math.max(0, now - then) / seconds) * 10) / 10;
    return {
      ended,
      failed,
      tasks_per_s: rate(ended, before.sample.ended),
      events_per_s: rate(sample.events, before.sample.events),
    };
  }
}

/** The newest of a list; null where the key may not see it. */
async function newest<Path extends ListPath>(
  client: GatewayClient,
  path: Path,
  params: ListParams<Path>,
): Promise<ItemOf<Path>[] | null> {
  try {
    const items: ItemOf<Path>[] = [];
    for await (const item of itemsOf(client, path, params, MOST)) items.push(item);
    return items;
  } catch (error) {
    if (error instanceof ForbiddenError) return null;
    throw error;
  }
}

/** Undefined where the key may not read the metrics (`metrics:read`), or the gateway serves none. */
async function sampleOf(client: GatewayClient): Promise<Sample | undefined> {
  try {
    return readSample(await client.metrics());
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

/** Reads the Prometheus text format, of which the gateway writes a line for each set of labels. */
export function readSample(text: string): Sample {
  const sum = (name: string, label = '') =>
    text
      .split('\n')
      .filter((line) => (line.startsWith(`${name}{`) || line.startsWith(`${name} `)) && line.includes(label))
      .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  return {
    running: sum('harn_tasks_running'),
    queued: sum('harn_tasks_queued'),
    ended: sum('harn_task_duration_seconds_count'),
    failed: sum('harn_task_duration_seconds_count', 'outcome="failed"'),
    events: sum('harn_log_events'),
  };
}

function seenTask({
  id,
  status,
  assigned_agent_id,
  session_id,
  created_at,
  started_at,
  input,
}: Task): SeenTask {
  return { id, status, assigned_agent_id, session_id, created_at, started_at, input: inputWords(input) };
}

function seenRequest({ id, task_id, created_at, request }: PermissionRequest): SeenRequest {
  return { id, task_id, created_at, kind: request.kind, message: request.message };
}
