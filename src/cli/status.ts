import { Command } from 'commander';
import type { JsonObject } from '#protocol/json.ts';
import { askPublic, type ClientOptions, GatewayClient, withClientOptions } from './client.ts';
import { CliError, EXIT } from './exit-codes.ts';
import { itemsOf } from './listing.ts';
import { print, printJson } from './terminal.ts';

type StatusOptions = ClientOptions & { json?: boolean };

export function statusCommand(): Command {
  const command = new Command('status')
    .description(
      'Say whether the gateway runs and takes work, and what it holds; exit code 1 unless it does.',
    )
    .option('--json', 'print JSON');
  return withClientOptions(command).action(showStatus);
}

async function showStatus(options: StatusOptions): Promise<void> {
  const { url, ok, body } = await askPublic(options, '/ready');
  const { status, reason } = body as JsonObject;
  const held = await heldBy(options);
  if (!ok) process.exitCode = EXIT.failed;
  if (options.json)
    return printJson({ url, ready: ok, status: status ?? null, reason: reason ?? null, ...held });
  print(`${String(status)} at ${url}${typeof reason === 'string' ? `: ${reason}` : ''}`);
  if ('refused' in held) return print(`No more is known: ${held.refused}`);
  print(`version ${held.version}, ${held.sessions} sessions, ${held.tasks} tasks`);
  print(`agents: ${held.routes.join(', ') || 'none'}`);
}

type Held = { version: string; sessions: number; tasks: number; routes: string[] } | { refused: string };

/** What is shown to callers with a key only; why not, where there is none or it may not. */
async function heldBy(options: StatusOptions): Promise<Held> {
  try {
    const client = new GatewayClient(options);
    const { version, session_count, task_count } = await client.api.get('/v1/runtime');
    const routes: string[] = [];
    for await (const { route } of itemsOf(client, '/v1/agents', {}, Number.POSITIVE_INFINITY))
      routes.push(route);
    return { version, sessions: session_count, tasks: task_count, routes };
  } catch (error) {
    if (error instanceof CliError) return { refused: error.message };
    throw error;
  }
}
