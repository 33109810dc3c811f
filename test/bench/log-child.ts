import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock as clock, createLogging, systemRandom as random } from '#compose/compose.ts';
import { tableSeal } from '#compose/open-data.ts';
import { openEventLog } from '#eventlog/open-log.ts';
import { dataPaths } from '#operation/data-directory.ts';
import { eventIdOf } from '#protocol/ports.ts';
import { openKeyRegistry } from '#receipts/key-registry.ts';
import { loadRooms } from '#resources/load-rooms.ts';
import { keysUnder } from '#store/keys.ts';
import { openLevelStore } from '#store/level-store.ts';
import { SEAL_BYTES } from '#store/sealed-record.ts';
import type { WriteOp } from '#store/store.ts';
import { nodeTimers } from '#surfaces/timers.ts';
import { type BareLevel, openBareLevel, writeBare } from './bare-level.ts';
import { appendWith, EventSource } from './bench-events.ts';
import { serveCommands, startArguments } from './commands.ts';
import { recordingStore } from './recording-store.ts';

const { project } = await loadRooms();

/** The event log alone, opened as the gateway opens it. `events` count, times in microseconds. */
export interface Spent {
  events: number;
  cpuUs: number;
  wallUs: number;
}

const WRITERS = 64;
const FILL_WRITERS = 256;
const EVENTS_PER_SESSION = 200;
const PAGE = 1_000;

/** `stream`: where the log is, if not in this directory alone. */
const { data, stream } = startArguments<{
  data: string;
  stream?: { servers: string[]; name: string; replicas: number };
}>();
mkdirSync(data, { recursive: true });
const paths = dataPaths(data);
const { logger } = createLogging('error', process.stderr);
const keys = openKeyRegistry({ dir: paths.keys, clock, random });
const level = { path: paths.store, seal: tableSeal(() => keys) };
const plain = await (stream === undefined
  ? openLevelStore(level)
  : (await import('#eventlog/jetstream/open-jetstream.ts')).openJetStreamStore({
      ...stream,
      level,
      clock,
      random,
      logger,
      timers: nodeTimers,
      onOvertaken: () => process.exit(1),
    }));
const recording = recordingStore(plain);
const log = await openEventLog({
  store: recording.store,
  keys,
  clock,
  random,
  timers: nodeTimers,
  logger,
  projection: project,
  checkpointPath: paths.checkpoint,
});
const start = log.head.commit;
const sources = (count: number, name: string) =>
  Array.from({ length: count }, (_, at) => new EventSource(log, `${start}${name}${at}`, EVENTS_PER_SESSION));
const writers = sources(WRITERS, 'w');
const fillers = sources(FILL_WRITERS, 'f');
let batches: WriteOp[][] = [];

/** A bare database is opened when it is first asked for: the other benches shall not carry its memory. */
const bareLevels = new Map<string, Promise<BareLevel>>();
function bareLevel(name: string): Promise<BareLevel> {
  const opened = bareLevels.get(name) ?? openBareLevel(join(data, name));
  bareLevels.set(name, opened);
  return opened;
}

async function spent(events: number, work: () => Promise<unknown>): Promise<Spent> {
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  await work();
  const wallUs = (performance.now() - startedAt) * 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { events, cpuUs: user + system, wallUs };
}

/** Every event of the newest recorded run as one put, in batches of as many as there are writers. */
function onePutEach(): WriteOp[][] {
  const puts = batches.flat().filter((op) => op.type === 'put' && op.key.startsWith('e/'));
  const groups: WriteOp[][] = [];
  for (let at = 0; at < puts.length; at += WRITERS) groups.push(puts.slice(at, at + WRITERS));
  return groups;
}

async function readAll(): Promise<number> {
  let after = eventIdOf(0);
  let count = 0;
  for (;;) {
    const page = await log.range({ kind: 'all' }, after, PAGE);
    count += page.length;
    if (page.length < PAGE) return count;
    after = eventIdOf(count);
  }
}

async function readSessions(): Promise<number> {
  let count = 0;
  for (const source of [...writers, ...fillers]) {
    const page = await log.range({ kind: 'session', id: source.sessionId }, eventIdOf(0), PAGE);
    count += page.length;
  }
  return count;
}

async function readBare(): Promise<number> {
  let count = 0;
  for await (const page of plain.entries(keysUnder('e/'))) count += page.length;
  return count;
}

async function counted(read: () => Promise<number>): Promise<Spent> {
  let events = 0;
  const took = await spent(0, async () => {
    events = await read();
  });
  return { ...took, events };
}

serveCommands(
  {},
  {
    fill: async (count: number) => spent(count, () => appendWith(fillers, count)),
    append: async (count: number) => spent(count, () => appendWith(writers, count)),
    /** Appends and keeps the batches for `bare` and `single`. */
    recorded: async (count: number) => {
      recording.start();
      const took = await spent(count, () => appendWith(writers, count));
      batches = recording.stop();
      return took;
    },
    /** The recorded batches again, with nothing but LevelDB. */
    bare: async (events: number) => {
      const level = await bareLevel('bare');
      return spent(events, () => writeBare(level, batches));
    },
    single: async (events: number) => {
      const [level, puts] = [await bareLevel('single'), onePutEach()];
      return spent(events, () => writeBare(level, puts));
    },
    shape: () => {
      const ops = batches.flat();
      const bytes = ops.reduce(
        (sum, op) => sum + op.key.length + (op.type === 'put' ? op.value.length : 0),
        0,
      );
      const eventBytes = onePutEach()
        .flat()
        .reduce((sum, op) => sum + (op.type === 'put' ? op.value.length : 0), 0);
      return { batches: batches.length, ops: ops.length, bytes, eventBytes: eventBytes - SEAL_BYTES };
    },
    readAll: () => counted(readAll),
    readSessions: () => counted(readSessions),
    readBare: () => counted(readBare),
    head: () => log.head.eventId,
  },
  async () => {
    await log.close();
    for (const level of bareLevels.values()) await (await level).close();
  },
);
