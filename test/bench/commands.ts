import { type HeapProfiler, Session } from 'node:inspector';

/** What a measured process answers over IPC. */
export type Commands = Readonly<Record<string, (args: never) => unknown>>;

export interface Usage {
  /** User and system time of the whole process, all threads, microseconds. */
  cpuUs: number;
  rssBytes: number;
}

/** Bytes of the objects that JavaScript made, collected since or not; sampled, so within a few per cent for a few thousand tasks. */
export interface Allocated {
  bytes: number;
  /** Those made while a function of the files that were asked about ran. */
  ofAsked: number;
}

export interface Ask {
  id: number;
  name: string;
  args: unknown;
}
export type Told = { id: number; value: unknown } | { id: number; error: string };

/** Id of the message that a process sends by itself, once it serves. */
export const READY_ID = 0;

const HEAP_SAMPLE_BYTES = 2_048;
let heap: Session | undefined;

const COMMON: Commands = {
  usage: (): Usage => {
    const { user, system } = process.cpuUsage();
    return { cpuUs: user + system, rssBytes: process.memoryUsage.rss() };
  },
  /** Collects garbage where the process was started with --expose-gc, so that RSS says what is held. */
  collect: () => globalThis.gc?.(),
  countAllocations: () => {
    heap = new Session();
    heap.connect();
    heap.post('HeapProfiler.startSampling', {
      samplingInterval: HEAP_SAMPLE_BYTES,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    } as HeapProfiler.StartSamplingParameterType);
  },
  /** Ends the count. `pattern`: a regular expression for the URLs of files. */
  allocated: (pattern: string): Allocated => {
    const session = heap;
    if (session === undefined) throw new Error('Nothing was counted.');
    heap = undefined;
    let found: Allocated | undefined;
    // The answer comes before the call returns.
    session.post('HeapProfiler.stopSampling', (error, answer) => {
      if (error === null) found = allocatedIn(answer.profile.head, new RegExp(pattern), false);
    });
    session.disconnect();
    if (found === undefined) throw new Error('The heap profiler does not answer.');
    return found;
  },
};

function allocatedIn(
  node: HeapProfiler.SamplingHeapProfileNode,
  asked: RegExp,
  isWithin: boolean,
): Allocated {
  const isAsked = isWithin || asked.test(node.callFrame.url);
  const sum: Allocated = { bytes: node.selfSize, ofAsked: isAsked ? node.selfSize : 0 };
  for (const child of node.children) {
    const { bytes, ofAsked } = allocatedIn(child, asked, isAsked);
    sum.bytes += bytes;
    sum.ofAsked += ofAsked;
  }
  return sum;
}

/** Tells the parent that this process serves, then answers its commands until it lets go. */
export function serveCommands(ready: unknown, commands: Commands, close: () => Promise<unknown>): void {
  const all: Commands = { ...COMMON, ...commands };
  process.on('message', (ask: Ask) => void answer(all, ask));
  process.on('disconnect', () => {
    void close().finally(() => process.exit());
  });
  send({ id: READY_ID, value: ready });
}

/** The arguments the parent started this process with. */
export function startArguments<T>(): T {
  return JSON.parse(process.argv[2] ?? '{}') as T;
}

async function answer(commands: Commands, { id, name, args }: Ask): Promise<void> {
  try {
    const command = commands[name];
    if (command === undefined) throw new Error(`No such command: ${name}`);
    send({ id, value: await command(args as never) });
  } catch (error) {
    send({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

function send(told: Told): void {
  process.send?.(told);
}
