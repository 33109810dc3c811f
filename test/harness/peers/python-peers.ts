import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A Python that has the SDK, by `HARN_A2A_PYTHON` or the PATH; undefined where there is none. */
const PYTHON = foundPython();

/** A script beside the others, run to its end; resolves with what it printed. */
export async function printedByPython(script: string, args: readonly string[]): Promise<string> {
  const child = run(script, args);
  const lines: string[] = [];
  for await (const line of linesOf(child)) lines.push(line);
  await end(child);
  return lines.join('\n');
}

const WANTED =
  'no Python with the SDK: "pip install a2a-sdk[grpc,http-server] uvicorn", or name one in HARN_A2A_PYTHON';

export const HAS_PYTHON = PYTHON !== undefined;

/** The name of tests that need it, which says so where they are skipped. */
export const needsPython = (name: string): string => (HAS_PYTHON ? name : `${name} (skipped, ${WANTED})`);

function foundPython(): string | undefined {
  const program = process.env['HARN_A2A_PYTHON'] ?? 'python3';
  const modules =
    'import a2a.server.routes.rest_routes, a2a.client.transports.grpc, a2a.compat.v0_3.grpc_transport, uvicorn';
  return spawnSync(program, ['-c', modules], { stdio: 'ignore' }).status === 0 ? program : undefined;
}

export type Binding = 'GRPC' | 'HTTP+JSON' | 'JSONRPC';

export interface PythonAgent {
  readonly cardUrl: string;
  close(): Promise<void>;
}

/** The agent of `python/agent.py`, whose card offers one binding. */
export async function startPythonAgent(binding: Binding, version: '1.0' | '0.3'): Promise<PythonAgent> {
  const child = run('agent.py', [binding, version]);
  for await (const cardUrl of linesOf(child)) return { cardUrl, close: () => end(child) };
  throw new Error(`python/agent.py ended with ${child.exitCode}`);
}

/** What the SDK's client saw of each thing it said through the interface of this binding, in their order. */
export async function askByPython(
  card: { url: string; key: string },
  binding: Binding,
  said: readonly string[],
): Promise<Record<string, unknown>[]> {
  const child = run('client.py', [card.url, binding], { HARN_KEY: card.key });
  child.stdin?.end(`${said.join('\n')}\n`);
  const seen: Record<string, unknown>[] = [];
  for await (const line of linesOf(child)) seen.push(JSON.parse(line));
  await end(child);
  return seen;
}

function run(script: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  return spawn(PYTHON ?? '', [join(import.meta.dirname, 'python', script), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
}

function linesOf({ stdout }: ChildProcess): AsyncIterable<string> {
  if (stdout === null) throw new Error('its output is piped');
  return createInterface({ input: stdout });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}
