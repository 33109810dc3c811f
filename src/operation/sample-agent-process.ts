import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Logger } from '../protocol/ports.ts';

export interface SampleAgentProcess {
  /** URL of its card. */
  cardUrl: string;
  close(): Promise<void>;
}

/** Time the bundled agent may take to say that it is ready. */
const READY_TIMEOUT_MS = 15_000;

/**
 * Starts the bundled sample agent in its own process on a free port. It ends with its standard input, so it never
 * outlives the gateway, not even a killed one. Rejects when it does not come up.
 */
export async function startSampleAgent(
  entry: string,
  env: Readonly<Record<string, string | undefined>>,
  logger: Logger,
): Promise<SampleAgentProcess> {
  const child = spawn(process.execPath, [entry, '--port', '0'], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: env['PATH'] ?? '' },
  });
  createInterface({ input: child.stderr }).on('line', (line) =>
    logger.warn({ line: line.slice(0, 500) }, 'sample agent'),
  );
  const url = await readyUrl(child);
  return { cardUrl: `${url}/.well-known/agent-card.json`, close: () => closeChild(child) };
}

function readyUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error('The sample agent did not start in time.')),
      READY_TIMEOUT_MS,
    );
    const settle = (action: () => void) => {
      clearTimeout(late);
      action();
    };
    child.once('error', (error) => settle(() => reject(error)));
    child.once('exit', (code) =>
      settle(() => reject(new Error(`The sample agent ended with code ${code}.`))),
    );
    if (!child.stdout) throw new Error('The sample agent has no standard output.');
    createInterface({ input: child.stdout }).once('line', (line) => {
      settle(() => resolve((JSON.parse(line) as { url: string }).url));
    });
  });
}

async function closeChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.stdin?.end();
  await ended;
}
