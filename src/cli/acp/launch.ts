import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { ProcessGuard } from '#operation/process-guard.ts';
import { textOf } from '#protocol/json-shape.ts';
import { type Child, startChild } from '../../../bridges/wire/child.ts';
import { inheritedEnvironment } from '../../../bridges/wire/child-environment.ts';
import { Connection } from './connection.ts';
import { type AcpOptions, Endpoints } from './endpoint.ts';
import type { Message } from './message.ts';
import type { OwnGateway } from './own-gateway.ts';
import { Relay } from './relay.ts';

/** Relays until the editor closes our standard input. Standard output holds nothing but the protocol. */
export async function launch(options: AcpOptions): Promise<void> {
  const endpoints = new Endpoints(options, (words) => process.stderr.write(`harn-gateway acp: ${words}\n`));
  const relay = new Relay({
    toEditor: (text) => {
      if (process.stdout.write(`${text}\n`)) return;
      connection.pause();
      process.stdout.once('drain', () => connection.resume());
    },
    toGateway: (text) => connection.send(text),
    announced: (message) => servers.announced(message),
    takes: (message) => servers.takes(message),
    remark: () => endpoints.own && startedHere(endpoints.own),
  });
  const servers = new McpHosts({
    guard: new ProcessGuard({ warn: (_, what) => process.stderr.write(`${what}\n`) }),
    newId: randomUUID,
    notify: (method, params) => void connection.send(JSON.stringify({ jsonrpc: '2.0', method, params })),
  });
  const connection = new Connection({
    find: () => endpoints.find(),
    opened: () => void relay.connected(),
    message: (text) => relay.fromGateway(text),
    lost: () => {
      relay.disconnected();
      void servers.disconnected();
    },
    refused: (reason, words) => relay.refuse(reason, words),
  });
  const input = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  input.on('line', (line) => {
    if (line.trim() !== '') relay.fromEditor(line);
  });
  input.once('close', () => connection.close());
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => input.close());
  try {
    await connection.run();
  } finally {
    process.stdin.destroy();
    await servers.disconnected();
    await endpoints.close();
  }
}

/** The gateway of this editor alone: nobody else reaches it, and it ends with the editor. */
function startedHere({ data, url }: OwnGateway) {
  return {
    title: 'A gateway was started for this editor',
    description: `None was running. This one keeps its data in ${data}, serves at ${url} and ends with the editor. For one that stays, run: harn-gateway serve --data ${data}`,
  };
}

/** A server as an editor names it. Spec: ACP v1, `McpServer` without a type. */
interface StdioServer {
  name: string;
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd: string | undefined;
}

/** What a gateway learns of a server: nothing that could run anything, and no secret. */
interface AnnouncedServer {
  id: string;
  name: string;
}

interface McpPorts {
  guard: ProcessGuard;
  /** Unique among all launchers. */
  newId(): string;
  /** Sends a notification to the gateway. */
  notify(method: string, params: object): void;
}

const MESSAGE = '_harn/mcp/message';
const CLOSE = '_harn/mcp/close';
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const SESSION_SETUP: readonly unknown[] = ['session/new', 'session/load', 'session/resume'];

/**
 * MCP servers on standard streams that an editor names. They are on this machine and stay there: the gateway learns their
 * names, opens connections to them by id, and what is said goes through the connection that is there anyway. A connection is
 * a process of its own. Only what the editor has named is ever started.
 */
class McpHosts {
  readonly #ports: McpPorts;
  readonly #servers = new Map<string, StdioServer>();
  readonly #running = new Map<string, Child>();

  constructor(ports: McpPorts) {
    this.#ports = ports;
  }

  /** A request that sets a session up, with ids in place of the servers that run here. */
  announced(message: Message): Message {
    const given = message.params?.['mcpServers'];
    if (!SESSION_SETUP.includes(message.method) || !Array.isArray(given)) return message;
    const cwd = textOf(message.params?.['cwd']);
    const mine = given.flatMap((server) => this.#taken(server, cwd));
    if (mine.length === 0) return message;
    const mcpServers = given.filter((server) => !isStdio(server));
    const meta = (message.params?.['_meta'] ?? {}) as Record<string, unknown>;
    const harn = { ...(meta['harn'] as object | undefined), mcpServers: mine };
    return { ...message, params: { ...message.params, mcpServers, _meta: { ...meta, harn } } };
  }

  /** Whether a message of the gateway is for a server here, and not for the editor. */
  takes(message: Message): boolean {
    const { method, params = {} } = message;
    const connectionId = textOf(params['connectionId']);
    if ((method !== MESSAGE && method !== CLOSE) || connectionId === undefined) return false;
    if (method === CLOSE) void this.#running.get(connectionId)?.close();
    else this.#deliver(connectionId, textOf(params['serverId']) ?? '', params['message']);
    return true;
  }

  /** The gateway is gone, and with it everybody who spoke to a server. */
  async disconnected(): Promise<void> {
    await Promise.all([...this.#running.values()].map((child) => child.close()));
  }

  #taken(server: unknown, cwd: string | undefined): AnnouncedServer[] {
    if (!isStdio(server)) return [];
    const { name, command, args = [], env = [] } = server;
    const known = {
      name,
      command,
      args,
      env: Object.fromEntries(env.map((row) => [row.name, row.value])),
      cwd,
    };
    const same = [...this.#servers].find(([, other]) => JSON.stringify(other) === JSON.stringify(known));
    const id = same?.[0] ?? this.#ports.newId();
    this.#servers.set(id, known);
    return [{ id, name }];
  }

  #deliver(connectionId: string, serverId: string, message: unknown): void {
    const server = this.#servers.get(serverId);
    if (server === undefined) {
      this.#ports.notify(CLOSE, { connectionId, reason: 'The editor has named no such server.' });
      return;
    }
    const child = this.#running.get(connectionId) ?? this.#start(connectionId, server);
    // A server that takes no more shows that by its end.
    child.send(JSON.stringify(message)).catch(() => undefined);
  }

  #start(connectionId: string, { name, command, args, env, cwd }: StdioServer): Child {
    const child = startChild({
      command: [command, ...args],
      env: { ...inheritedEnvironment(process.env), ...env },
      ...(cwd === undefined ? {} : { cwd }),
      timers: { setTimeout, clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout) },
      guard: this.#ports.guard,
      maxLineBytes: MAX_LINE_BYTES,
      onLine: (line) => this.#said(connectionId, line),
      onNoise: (line) => process.stderr.write(`${name}: ${line}\n`),
    });
    this.#running.set(connectionId, child);
    void child.ended.then(({ why }) => {
      this.#running.delete(connectionId);
      this.#ports.notify(CLOSE, { connectionId, reason: `The MCP server ${name} is gone: ${why}.` });
    });
    return child;
  }

  /** What is no JSON is noise of a shell or a library. */
  #said(connectionId: string, line: string): void {
    try {
      this.#ports.notify(MESSAGE, { connectionId, message: JSON.parse(line) as unknown });
    } catch {
      process.stderr.write(`not MCP: ${line.slice(0, 200)}\n`);
    }
  }
}

interface NamedServer {
  name: string;
  command: string;
  args?: string[];
  env?: { name: string; value: string }[];
}

function isStdio(server: unknown): server is NamedServer {
  const { name, command, type } = (server ?? {}) as Record<string, unknown>;
  return typeof name === 'string' && typeof command === 'string' && (type === undefined || type === 'stdio');
}
