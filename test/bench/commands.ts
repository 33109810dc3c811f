/** What a measured process answers over IPC. */
export type Commands = Readonly<Record<string, (args: never) => unknown>>;

export interface Usage {
  /** User and system time of the whole process, all threads, microseconds. */
  cpuUs: number;
  rssBytes: number;
}

export interface Ask {
  id: number;
  name: string;
  args: unknown;
}
export type Told = { id: number; value: unknown } | { id: number; error: string };

/** Id of the message that a process sends by itself, once it serves. */
export const READY_ID = 0;

const COMMON: Commands = {
  usage: (): Usage => {
    const { user, system } = process.cpuUsage();
    return { cpuUs: user + system, rssBytes: process.memoryUsage.rss() };
  },
  /** Collects garbage where the process was started with --expose-gc, so that RSS says what is held. */
  collect: () => globalThis.gc?.(),
};

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
