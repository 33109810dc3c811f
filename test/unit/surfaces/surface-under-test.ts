import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentCards, type CardAgent } from '#cards/agent-cards.ts';
import { JsonReader } from '#json/json-reader.ts';
import type { Logger } from '#protocol/ports.ts';
import { UNVERSIONED } from '#protocol/versions.ts';
import { openBodySpool } from '#store/body-spool.ts';
import { DEFAULT_HTTP_LIMITS, type HttpLimits } from '#surfaces/http/limits.ts';
import { createHttpSurface, type HttpSurface, type HttpSurfaceDeps } from '#surfaces/http-surface.ts';
import { nodeTimers, type Timers } from '#surfaces/timers.ts';
import { FakeGateway } from './fake-gateway.ts';

export interface LogLine {
  level: string;
  fields: Record<string, unknown>;
  message: string;
}

/** Time that stands still until a test moves it; repeating timers fire as it passes. */
export class ManualTime implements Timers {
  #nowMs = 1_000_000;
  readonly #repeating = new Set<{ intervalMs: number; dueMs: number; run: () => void }>();

  now = () => this.#nowMs;
  monotonic = () => this.#nowMs;

  every(intervalMs: number, run: () => void): () => void {
    const entry = { intervalMs, dueMs: this.#nowMs + intervalMs, run };
    this.#repeating.add(entry);
    return () => this.#repeating.delete(entry);
  }

  /** Grace periods belong to the operating system's time. */
  after = nodeTimers.after;

  get running(): number {
    return this.#repeating.size;
  }

  advance(ms: number): void {
    const endMs = this.#nowMs + ms;
    while (this.#nowMs < endMs) {
      this.#nowMs += 1_000;
      for (const entry of this.#repeating) {
        if (entry.dueMs > this.#nowMs) continue;
        entry.dueMs += entry.intervalMs;
        entry.run();
      }
    }
  }
}

export interface Options {
  limits?: Partial<HttpLimits>;
  server?: Partial<HttpSurfaceDeps['server']>;
  documents?: Partial<HttpSurfaceDeps['documents']>;
  console?: HttpSurfaceDeps['console'];
  createServers?: HttpSurfaceDeps['createServers'];
  json?: JsonReader;
}

export interface UnderTest {
  surface: HttpSurface;
  gateway: FakeGateway;
  time: ManualTime;
  log: LogLine[];
  url: string;
  port: number;
  /** Where large bodies lie. */
  spool: string;
  close(): Promise<void>;
}

/** Cards of the given agents, signed with a key of their own. */
export function cardsOf(agents: readonly CardAgent[]): AgentCards {
  const { privateKey } = generateKeyPairSync('ed25519');
  return new AgentCards({
    agents: () => agents,
    agentOf: () => undefined,
    key: () => ({ keyId: 'key-of-the-test', sign: (bytes) => sign(null, bytes, privateKey) }),
    offer: { bindings: [], pushNotifications: false, extendedAgentCard: false, extensions: [] },
    version: '0.1.0',
    createdAt: '2026-11-21T00:00:00.000Z',
    now: () => Date.UTC(2026, 10, 21),
  });
}

export async function startSurface(options: Options = {}): Promise<UnderTest> {
  const gateway = new FakeGateway();
  const time = new ManualTime();
  const log: LogLine[] = [];
  let requests = 0;
  const spool = mkdtempSync(join(tmpdir(), 'harn-spool-'));
  const surface = createHttpSurface({
    metering: { meter: undefined },
    gateway,
    clock: time,
    timers: time,
    logger: recordingLogger(log),
    newRequestId: () => `req_${String(++requests).padStart(26, '0')}`,
    limits: { ...DEFAULT_HTTP_LIMITS, ...options.limits },
    spool: await openBodySpool(spool),
    json: options.json ?? new JsonReader(),
    documents: {
      version: '0.1.0',
      defaultVersion: UNVERSIONED,
      readiness: () => ({ ok: true, status: 'ready', reason: null, details: {} }),
      cards: cardsOf([]),
      persona: async () => undefined,
      keySet: () => ({ keys: [], revoked_keys: [] }),
      resource: { issuers: [], dpopAlgorithms: [], takesCertificates: false },
      ...options.documents,
    },
    docs: 'test/unit/surfaces/page',
    console: options.console,
    metrics: {
      authorize: async () => undefined,
      read: async () => ({ contentType: 'text/plain; version=0.0.4', text: 'up 1\n' }),
    },
    createServers: options.createServers ?? (() => []),
    server: {
      allowedHosts: [],
      allowedOrigins: [],
      trustedProxies: [],
      requireTls: false,
      ...options.server,
    },
  });
  const { url, port } = await surface.listen('127.0.0.1', 0);
  const close = async () => {
    await surface.close({ graceMs: 0 });
    rmSync(spool, { recursive: true, force: true });
  };
  return { surface, gateway, time, log, url, port, spool, close };
}

function recordingLogger(lines: LogLine[]): Logger {
  const at = (level: string) => (fields: object, message: string) => {
    lines.push({ level, fields: fields as Record<string, unknown>, message });
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** A bare client socket that keeps everything it received. */
export class RawClient {
  readonly socket: Socket;
  #text = '';
  readonly closed: Promise<void>;

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.setEncoding('latin1');
    this.socket.on('data', (chunk) => {
      this.#text += String(chunk);
    });
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve()));
  }

  get text(): string {
    return this.#text;
  }

  /** Everything after the head of the first answer. */
  get body(): string {
    const at = this.#text.indexOf('\r\n\r\n');
    return at < 0 ? '' : this.#text.slice(at + 4);
  }

  send(text: string): this {
    this.socket.write(text, 'latin1');
    return this;
  }

  /** Waits until what arrived satisfies the condition. */
  async until(condition: (text: string) => boolean): Promise<void> {
    while (!condition(this.#text)) {
      if (this.socket.destroyed) throw new Error(`closed while waiting; received: ${this.#text}`);
      await new Promise<void>((resolve) => {
        this.socket.once('data', () => resolve());
        this.socket.once('close', () => resolve());
      });
    }
  }
}

/** Waits until `condition` holds, looking again after each turn of the event loop. */
export async function eventually(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
}

export const AUTH = {
  Authorization: 'Bearer test',
  'Harn-Agents-Protocol-Version': 'agents-protocol-2026-04-25',
} as const;

export interface Envelope {
  error: {
    code: string;
    type: string;
    message: string;
    param: string | null;
    request_id: string;
    details: object;
  };
}

export async function envelopeOf(response: Response): Promise<Envelope['error']> {
  return ((await response.json()) as Envelope).error;
}
