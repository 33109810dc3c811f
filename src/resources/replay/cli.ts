import { readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { type ClientOptions, GatewayClient, type StreamedEvent, withClientOptions } from '#cli/client.ts';
import { CliError, EXIT } from '#cli/exit-codes.ts';
import { itemsOf } from '#cli/listing.ts';
import { printItems } from '#cli/table.ts';
import { print, printJson, visible } from '#cli/terminal.ts';
import type { components } from '#client/index.ts';
import { parseStrictText } from '#json/strict-parse.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { EVENT_OF_STATUS, isTerminal } from '#protocol/task-states.ts';
import type { Columns } from '#resources/room.ts';
import type { Task } from '#resources/task/schema.ts';
import { type CheckOptions, checkReplays } from './check-cli.ts';
import { REPLAY_MODES, type ReplayMode, type ReplayVerdict } from './schema.ts';

interface ReplayOptions extends ClientOptions, CheckOptions {
  mode?: ReplayMode;
  override?: string;
  checkpoint?: string;
  listOverrides?: boolean;
}

/** What ended a replay: payload of `replay.completed` or `replay.failed`. */
interface Ended {
  verdict: ReplayVerdict | null;
  events?: number;
  message?: string;
}

const EXAMPLES = `
Examples:
  harn-gateway replay task_01...
  harn-gateway replay task_01... --override what-if.json
  harn-gateway replay task_01... --checkpoint task_01....2
  harn-gateway replay task_01... --list-overrides
  harn-gateway replay --sample 1% --since 24h

An override file holds the member "override" of the request, for example
  {"a2a:sample:2": {"kind": "llm_provider_response", "value": {"kind": "end"}, "visibility": "public"}}`;

export function replayCommand(): Command {
  const command = new Command('replay')
    .description(
      'Run an ended task, or a sample of them, again from what was recorded of it, and print the verdict.',
    )
    .argument('[task]', 'id of the task; left out with --sample')
    .addOption(
      new Option(
        '--mode <mode>',
        'how (default: what --override or --checkpoint asks for, else exact)',
      ).choices(REPLAY_MODES),
    )
    .option('--override <file>', 'JSON file: what to put in the place of what was recorded, by override key')
    .option('--checkpoint <id>', 'go on from this checkpoint, or from this event: print only what came later')
    .option(
      '--list-overrides',
      'run nothing: print the keys that --override may name, and what stands behind each',
    )
    .option(
      '--sample <share>',
      'replay this share of the ended tasks, such as 1%, and leave nothing in the log; needs a key with operator',
    )
    .option('--since <time>', 'with --sample: tasks that ended since then, 24h ago or a time (default: 24h)')
    .option('--seed <text>', 'with --sample: another seed takes other tasks, the same one the same')
    .option('--json', 'print the verdict, and what else the replay ended with, as JSON')
    .addHelpText('after', EXAMPLES);
  return withClientOptions(command).action(runReplay);
}

async function runReplay(id: string | undefined, options: ReplayOptions): Promise<void> {
  if (options.sample !== undefined) return sampled(id, options);
  if (id === undefined)
    throw new CliError('Name a task, or take a sample of them with --sample 1%.', EXIT.usage);
  for (const name of ['since', 'seed'] as const)
    if (options[name] !== undefined) throw new CliError(`--${name} belongs to --sample.`, EXIT.usage);
  if (options.listOverrides) return listOverrides(new GatewayClient(options), id, options);
  const body = requestOf(options);
  const client = new GatewayClient(options);
  const params = { path: { task_id: id } };
  const task = await client.api.post('/v1/tasks/{task_id}/replay', { params, body });
  const summary = `${task.id} ${task.status} replays ${id}`;
  if (options.json) process.stderr.write(`${visible(summary)}\n`);
  else print(summary);
  const { ended, events } = await endOf(client, task.id);
  if (options.json) printJson(ended);
  else for (const line of [describe(ended), ...(await inWords(client, id, ended, events))]) print(line);
  if (ended.verdict?.status !== 'byte_equal') process.exitCode = EXIT.failed;
}

function sampled(id: string | undefined, options: ReplayOptions): Promise<void> {
  if (id !== undefined)
    throw new CliError('A sample is of all tasks: leave out the task, or --sample.', EXIT.usage);
  for (const name of ['mode', 'override', 'checkpoint', 'listOverrides'] as const)
    if (options[name] !== undefined)
      throw new CliError(
        'A sample is replayed exactly: for overrides and checkpoints, name a task.',
        EXIT.usage,
      );
  return checkReplays(new GatewayClient(options), options);
}

type ReplayRequest = components['schemas']['ReplayTaskRequest'];

function requestOf({ mode: named, override, checkpoint }: ReplayOptions): ReplayRequest {
  const mode = named ?? impliedMode(override, checkpoint);
  if (mode === 'exact' && override !== undefined)
    throw new CliError('Mode exact takes no overrides: leave out --mode, or --override.', EXIT.usage);
  if ((mode === 'from_checkpoint') !== (checkpoint !== undefined))
    throw new CliError('Mode from_checkpoint and --checkpoint need one another.', EXIT.usage);
  return {
    mode,
    ...(override === undefined ? {} : { override: readOverrides(override) }),
    ...(checkpoint === undefined ? {} : checkpointMember(checkpoint)),
  };
}

function impliedMode(override: string | undefined, checkpoint: string | undefined): ReplayMode {
  if (checkpoint !== undefined) return 'from_checkpoint';
  return override === undefined ? 'exact' : 'with_overrides';
}

/** An event id is all digits; a checkpoint id never is. */
function checkpointMember(id: string): ReplayRequest {
  return /^\d+$/.test(id) ? { checkpoint_event_id: id } : { checkpoint_id: id };
}

function readOverrides(file: string): NonNullable<ReplayRequest['override']> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new CliError(`--override: ${file} cannot be read.`, EXIT.usage);
  }
  try {
    // What it has to be, the gateway says.
    return parseStrictText(text) as NonNullable<ReplayRequest['override']>;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CliError(`--override: ${file} is no JSON: ${why}`, EXIT.usage);
  }
}

const ENDS = new Set(['replay.completed', 'replay.failed', 'task.failed', 'task.canceled']);

/** Waits for the end of a replay task, and keeps what it reported of the run. One that was canceled has no verdict. */
async function endOf(
  client: GatewayClient,
  taskId: string,
): Promise<{ ended: Ended; events: ReplayedEvent[] }> {
  const isLast = ({ event }: StreamedEvent) => ENDS.has(event);
  const events: ReplayedEvent[] = [];
  for await (const { event, payload } of client.follow(taskId, isLast)) {
    if (event === 'replay.event_replayed') events.push(payload as unknown as ReplayedEvent);
    if (event.startsWith('replay.') && ENDS.has(event)) return { ended: payload as unknown as Ended, events };
    if (ENDS.has(event))
      return { ended: { verdict: null, message: `The replay ended with ${event}.` }, events };
  }
  throw new Error(`the stream of ${taskId} ended before the task did`);
}

function describe({ verdict, events, message }: Ended): string {
  if (verdict === null) return `no verdict: ${message}`;
  if (verdict.status === 'byte_equal')
    return `byte_equal: ${events} events, record hash ${verdict.record_hash}`;
  const { status, expected, observed } = verdict;
  const place = status === 'diverged' ? `at ${verdict.path}` : `at ${verdict.index} (${verdict.where})`;
  return `${status} ${place}: expected ${expected ?? 'nothing'}, observed ${observed ?? 'nothing'}`;
}

/** What a divergence means, after the verdict. */
async function inWords(
  client: GatewayClient,
  sourceId: string,
  { verdict }: Ended,
  events: readonly ReplayedEvent[],
): Promise<string[]> {
  if (verdict?.status !== 'diverged') return [];
  const recorded =
    verdict.event_id === null
      ? undefined
      : await client.api.get('/v1/events/{event_id}', { params: { path: { event_id: verdict.event_id } } });
  const params = { path: { task_id: sourceId } };
  const source = await client.api.get('/v1/tasks/{task_id}', { params });
  return divergenceInWords(verdict, recorded, source.status, events);
}

const FRAME_COLUMNS: Columns<{ key: string; kind: string; sha256: string }> = {
  KEY: ({ key }) => key,
  KIND: ({ kind }) => kind,
  SHA256: ({ sha256 }) => sha256,
};

async function listOverrides(client: GatewayClient, id: string, { json }: ReplayOptions): Promise<void> {
  const params = { path: { task_id: id } };
  const materials = itemsOf(client, '/v1/tasks/{task_id}/materials', params, Number.POSITIVE_INFINITY);
  let isEmpty = true;
  const frames = async function* () {
    for await (const { id: key, kind, sha256 } of materials) {
      isEmpty = false;
      yield { key, kind, sha256 };
    }
  };
  await printItems(frames(), json, FRAME_COLUMNS);
  if (isEmpty)
    throw new CliError(
      `Nothing was recorded of ${id}: no agent has answered it, or it is a replay or an import without frames.`,
    );
}

interface RecordedEvent {
  event: string;
  payload: JsonObject;
}

/** One event of a run as its replay made it: what the payload of `replay.event_replayed` says of it. */
interface ReplayedEvent {
  event: string;
  /** Null where nobody may read it. */
  payload: JsonObject | null;
  equal: boolean;
}

type Diverged = Extract<ReplayVerdict, { status: 'diverged' }>;

/** Longest value that is shown; of others the verdict has the hash. */
const SHOWN_CHARS = 80;

const RUN_ENDS: ReadonlySet<string> = new Set(['task.completed', 'task.failed', 'task.canceled']);

/**
 * Where a replay first went another way, and how it ended instead. `recorded`: the event of the verdict, absent where the run
 * had ended; `status`: that of the source; `replayed`: what the replay made, in its order.
 */
function divergenceInWords(
  verdict: Diverged,
  recorded: RecordedEvent | undefined,
  status: Task['status'],
  replayed: readonly ReplayedEvent[],
): string[] {
  const made = replayed.find(({ equal }) => !equal);
  const first = firstInWords(verdict, recorded, made);
  const before = isTerminal(status) ? EVENT_OF_STATUS[status] : undefined;
  const after = replayed.findLast(({ event }) => RUN_ENDS.has(event))?.event;
  const isSaid = recorded?.event === before && made?.event === after;
  if (before === undefined || before === after || isSaid) return [first];
  return [first, `At the end ${before} ${after === undefined ? 'did not come' : `became ${after}`}.`];
}

function firstInWords(
  { path, observed }: Diverged,
  recorded: RecordedEvent | undefined,
  made: ReplayedEvent | undefined,
): string {
  if (recorded === undefined)
    return `The run had ended there; the replay went on with ${made?.event ?? 'another event'}.`;
  if (made === undefined)
    return `${recorded.event} did not come out again${observed === null ? '' : ' as it was'}.`;
  if (recorded.event !== made.event) return `${recorded.event} became ${made.event}.`;
  const steps = path.split('/').slice(2);
  const member = steps.join('.');
  if (made.payload === null || steps[0] !== 'payload')
    return `${recorded.event} came out with another ${member}.`;
  const [was, is] = [shownAt(recorded.payload, steps), shownAt(made.payload, steps)];
  return `${recorded.event} came out with another ${member}: ${was} became ${is}.`;
}

/** A value at a JSON pointer below the payload, as far as it is short. */
function shownAt(payload: JsonObject, [, ...steps]: readonly string[]): string {
  let found: JsonValue | undefined = payload;
  for (const step of steps) found = memberOf(found, step.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (found === undefined) return 'nothing';
  const text = JSON.stringify(found);
  return text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS)}...`;
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return value[Number(name)];
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
