import { createReadStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_VERSION, VERSION_HEADER } from '#protocol/versions.ts';
import { startScriptedAgent } from '../harness/peers/scripted-agent.ts';
import { cards } from '../harness/peers/scripted-cards.ts';
import { bundleText, readJson } from '../resources/bundle/unit/bundles.ts';
import { amount, type Bench, type Effort, type Row } from './bench.ts';
import { Child } from './child.ts';
import { writeConfig } from './data-directory.ts';
import type { GatewayAddress } from './gateway-client.ts';
import type { Held } from './loop-meter.ts';
import { scratchDirectory } from './scratch-directory.ts';

/** What one call may hold the event loop, and all other calls with it. */
const TARGET_MS = 50;

/** The least of so many runs: the collector and code that is compiled for the first time are not what is asked for. */
const RUNS = 3;

const BODY_BYTES = 4_194_304 - 4_096;

/** How long one call of each kind holds all others up, with the largest inputs that the default limits let through. */
export const eventLoop: Bench = {
  id: 'LOOP',
  title: 'longest turn of the event loop, one call at a time',
  async run({ effort, progress, profileDir }) {
    const peers = await hostilePeers();
    const config = writeConfig(
      scratchDirectory(),
      [{ id: 'hostile', card: peers.cardUrl }],
      [],
      [peers.mcp],
      {
        upstreams: { a2a: [{ id: 'hostile', card: peers.cardUrl }], mcp: [peers.mcp] },
        // As far as rules may go, so that the costliest are taken.
        policy: { remember: { suggest: 'always', act_with_approval: 'always', act_auto: 'always' } },
      },
    );
    const gateway = new Child<GatewayAddress>('gateway-child', { args: { config, echo: true }, profileDir });
    try {
      const caller = new Caller(await gateway.ready);
      const rows: Row[] = [];
      for (const input of INPUTS) {
        const held: Held[] = [];
        const call = await input.prepare(caller, effort);
        caller.statuses.clear();
        for (let run = 0; run < RUNS; run += 1) {
          await gateway.ask('collect');
          await gateway.ask('watchLoop');
          try {
            await call(run);
          } finally {
            held.push(await gateway.ask<Held>('held'));
          }
        }
        const least = held.toSorted((one, other) => one.cpuMs - other.cpuMs)[0];
        if (least === undefined) throw new Error('Nothing was measured.');
        progress(
          `${input.what}: ${least.cpuMs.toFixed(0)} ms CPU, ${least.wallMs.toFixed(0)} ms (${least.longTurns}) ${[...caller.statuses]}`,
        );
        rows.push(rowOf(input.what, least));
      }
      return rows;
    } finally {
      await gateway.stop();
      await peers.close();
    }
  },
};

function rowOf(what: string, { cpuMs, wallMs, longTurns }: Held): Row {
  return {
    id: 'LOOP',
    what,
    measured: `${cpuMs.toFixed(0)} ms of CPU (${wallMs.toFixed(0)} ms)`,
    baseline: '',
    ratio: undefined,
    target: `<= ${TARGET_MS} ms`,
    met: cpuMs <= TARGET_MS,
    figures: { cpuMs, wallMs, longTurns },
  };
}

type Run = (run: number) => Promise<unknown>;

/** What is called: `prepare` is not measured, the call that it returns is. */
interface Input {
  what: string;
  prepare(caller: Caller, effort: Effort): Promise<Run>;
}

/** One client that sends and reads whole bodies, whatever the status. */
class Caller {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  /** Of the answers since somebody cleared it. */
  readonly statuses = new Set<number>();

  constructor({ url, key }: GatewayAddress) {
    this.#url = url;
    this.#headers = {
      authorization: `Bearer ${key}`,
      [VERSION_HEADER.toLowerCase()]: DEFAULT_VERSION,
      'content-type': 'application/json',
    };
  }

  /** The status and the text of the answer; throws for a 5xx, and for a refusal where none is expected. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    more: { headers?: object; mayFail?: boolean } = {},
  ) {
    const response = await fetch(this.#url + path, {
      method,
      headers: { ...this.#headers, ...more.headers },
      ...(body === undefined
        ? {}
        : { body: wire(body), ...(body instanceof Readable ? { duplex: 'half' } : {}) }),
    } as RequestInit);
    const text = await response.text();
    this.statuses.add(response.status);
    if (response.status >= 500 || (response.status >= 400 && !more.mayFail))
      throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    return { status: response.status, text };
  }

  async made<T extends { id: string }>(path: string, body: unknown): Promise<T> {
    return JSON.parse((await this.call('POST', path, body)).text);
  }

  async session(metadata: object = {}): Promise<string> {
    return (await this.made('/v1/sessions', { workspace_id: 'workspace_default', metadata })).id;
  }

  async task(
    session: string,
    parts: readonly object[],
    metadata: object = { route: 'bench:echo' },
  ): Promise<string> {
    const body = { input: { role: 'user', parts }, metadata };
    return (await this.made(`/v1/sessions/${session}/tasks`, body)).id;
  }

  /** Throws where the server of a Skill does not come up. */
  async reached(skill: string): Promise<void> {
    for (let n = 0; n < 600; n += 1) {
      const { status } = await this.call('GET', `/v1/skills/${skill}`, undefined, { mayFail: true });
      if (status === 200) return;
      await sleep(100);
    }
    throw new Error(`${skill} was not found; the log of the gateway says why.`);
  }

  async ended(id: string): Promise<void> {
    for (;;) {
      const { status } = JSON.parse((await this.call('GET', `/v1/tasks/${id}`)).text) as { status: string };
      if (['COMPLETED', 'FAILED', 'CANCELED'].includes(status)) return;
      await sleep(20);
    }
  }
}

function wire(body: unknown): unknown {
  if (body instanceof Readable) return Readable.toWeb(body);
  return typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
}

const text = (said: string) => ({ type: 'text', text: said, visibility: 'public' });

/** JSON objects of a whole body, each hard in its own way. */
const SHAPES: readonly (readonly [string, () => object])[] = [
  ['one text of prose', () => ({ a: 'The quick brown fox jumps. '.repeat(BODY_BYTES / 27) })],
  [
    'one text that looks like secrets',
    () => ({ a: 'sk-Bearer ghp_AKIA token=eyJ. '.repeat(BODY_BYTES / 30) }),
  ],
  ['one text of base64', () => ({ a: 'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0'.repeat(BODY_BYTES / 36) })],
  ['numbers', () => ({ a: Array.from({ length: BODY_BYTES / 4 }, (_, n) => n % 1000) })],
  ['members', () => Object.fromEntries(Array.from({ length: BODY_BYTES / 14 }, (_, n) => [`k${n}`, n]))],
  [
    'secret names',
    () =>
      Object.fromEntries(Array.from({ length: BODY_BYTES / 24 }, (_, n) => [`k${n}_token`, 'a b'.repeat(2)])),
  ],
  ['short texts', () => ({ a: Array.from({ length: BODY_BYTES / 10 }, (_, n) => `t${n}`) })],
  ['nested objects', () => ({ a: Array.from({ length: BODY_BYTES / 400 }, () => nested(50)) })],
];

function nested(depth: number): object {
  return depth === 0 ? {} : { a: nested(depth - 1) };
}

const bodies: Input[] = SHAPES.flatMap(([shape, make]) => [
  {
    what: `session, metadata of 4 MB: ${shape}`,
    prepare: async (caller) => {
      const body = JSON.stringify({ workspace_id: 'workspace_default', metadata: make() });
      return () => caller.call('POST', '/v1/sessions', body, { mayFail: true });
    },
  },
  {
    what: `task, JSON part of 4 MB: ${shape}`,
    prepare: async (caller) => {
      const session = await caller.session();
      const input = { role: 'user', parts: [{ type: 'json', value: make(), visibility: 'public' }] };
      const body = JSON.stringify({ input, metadata: { route: 'bench:echo' } });
      return async () => {
        const { status, text } = await caller.call('POST', `/v1/sessions/${session}/tasks`, body, {
          mayFail: true,
        });
        if (status < 300) await caller.ended((JSON.parse(text) as { id: string }).id);
      };
    },
  },
]);

const INPUTS: readonly Input[] = [
  ...bodies,
  {
    what: 'task, 60,000 parts',
    prepare: async (caller) => {
      const session = await caller.session();
      const parts = Array.from({ length: 60_000 }, () => text('a'));
      const body = JSON.stringify({ input: { role: 'user', parts }, metadata: { route: 'bench:echo' } });
      return async () => {
        const { status, text: said } = await caller.call('POST', `/v1/sessions/${session}/tasks`, body, {
          mayFail: true,
        });
        if (status < 300) await caller.ended((JSON.parse(said) as { id: string }).id);
      };
    },
  },
  {
    what: 'task, one text of 4 MB, with its end',
    prepare: async (caller) => {
      const session = await caller.session();
      return async () =>
        caller.ended(await caller.task(session, [text('word '.repeat(BODY_BYTES / 5 - 100))]));
    },
  },
  {
    what: 'task, the same 4 MB under its idempotency key again',
    prepare: async (caller) => {
      const session = await caller.session();
      const input = {
        role: 'user',
        parts: [{ type: 'json', value: { a: numbers(900_000) }, visibility: 'public' }],
      };
      const body = JSON.stringify({ input, metadata: { route: 'bench:echo' } });
      const headers = { 'idempotency-key': 'again' };
      const again = () =>
        caller.call('POST', `/v1/sessions/${session}/tasks`, body, { headers, mayFail: true });
      await again();
      return again;
    },
  },
  {
    what: 'memory, content of 4 MB',
    prepare: async (caller) => {
      const body = JSON.stringify({
        scope: 'workspace',
        owner_id: 'workspace_default',
        content: { a: numbers(900_000) },
        provenance: {},
      });
      return () => caller.call('POST', '/v1/memories', body, { mayFail: true });
    },
  },
  {
    what: 'session, 200 initial messages of 20 KB',
    prepare: async (caller) => {
      const initial_messages = Array.from({ length: 200 }, () => ({
        role: 'user',
        parts: [text('word '.repeat(4_000))],
      }));
      const body = JSON.stringify({ workspace_id: 'workspace_default', initial_messages });
      return () => caller.call('POST', '/v1/sessions', body);
    },
  },
  {
    what: 'JSON that is nested too deep, 4 MB',
    prepare: async (caller) => () =>
      caller.call('POST', '/v1/sessions', '['.repeat(BODY_BYTES), { mayFail: true }),
  },
  {
    what: 'artifact upload, 64 MB',
    prepare: async (caller) => {
      const bytes = Buffer.alloc(67_108_864, 'QUJD');
      return async () => {
        const { id } = await caller.made('/v1/artifacts', {
          kind: 'file',
          mime_type: 'text/plain',
          visibility: 'public',
        });
        const headers = { 'content-type': 'text/plain' };
        await caller.call('PUT', `/v1/artifacts/${id}/content`, bytes, { headers, mayFail: true });
        await caller.call('GET', `/v1/artifacts/${id}/content`, undefined, { mayFail: true });
      };
    },
  },
  {
    what: 'list of 200 sessions with 60 KB of metadata',
    prepare: async (caller) => {
      for (let n = 0; n < 200; n += 1) await caller.session({ a: numbers(15_000) });
      return () => caller.call('GET', '/v1/sessions?limit=200');
    },
  },
  {
    what: 'list and events of a session of 200 messages of 60 KB',
    prepare: async (caller) => {
      const session = await caller.session();
      const message = {
        role: 'user',
        parts: [{ type: 'json', value: { a: numbers(15_000) }, visibility: 'public' }],
      };
      for (let n = 0; n < 200; n += 1)
        await caller.call('POST', `/v1/sessions/${session}/messages`, { message });
      return async () => {
        await caller.call('GET', `/v1/sessions/${session}/messages?limit=200`);
        await caller.call('GET', `/v1/sessions/${session}/events?limit=200`);
        await caller.call('GET', `/v1/sessions/${session}/transcript`);
      };
    },
  },
  {
    what: 'import of a session of 20,000 turns',
    prepare: async (caller, effort) => {
      const file = await foreignBundle(amount(effort, { quick: 5_000, normal: 20_000 }));
      return () => caller.call('POST', '/v1/bundles/import', createReadStream(file));
    },
  },
  ...longSession(),
  ...manyTasks(),
  ...permissions(),
  ...tools(),
];

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n % 1000);
}

/** One call on a session of 20,000 turns, which comes as a bundle: the fastest way to have one. */
function longSession(): Input[] {
  let kept: Promise<string> | undefined;
  const long = (caller: Caller, effort: Effort) => {
    kept ??= (async () => {
      const file = await foreignBundle(amount(effort, { quick: 5_000, normal: 20_000 }));
      const { text: said } = await caller.call('POST', '/v1/bundles/import', createReadStream(file));
      return (JSON.parse(said) as { session_id: string }).session_id;
    })();
    return kept;
  };
  const on = (what: string, call: (caller: Caller, session: string) => Promise<unknown>): Input => ({
    what: `session of 20,000 turns: ${what}`,
    prepare: async (caller, effort) => {
      const session = await long(caller, effort);
      return () => call(caller, session);
    },
  });
  return [
    on('read', (caller, id) => caller.call('GET', `/v1/sessions/${id}`)),
    on('transcript', (caller, id) => caller.call('GET', `/v1/sessions/${id}/transcript`)),
    on('fork', (caller, id) => caller.call('POST', `/v1/sessions/${id}/fork`, {}, { mayFail: true })),
    on('next task', async (caller, id) => caller.ended(await caller.task(id, [text('a')]))),
    on('export', (caller, id) =>
      caller.call('POST', '/v1/bundles/export', { session_id: id, mode: 'local' }),
    ),
    on('replay', (caller, id) => caller.call('POST', `/v1/sessions/${id}/replay`, {}, { mayFail: true })),
    on('audit', (caller) => caller.call('GET', '/v1/audit?format=ndjson', undefined, { mayFail: true })),
    on('compact', (caller, id) => caller.call('POST', `/v1/sessions/${id}/compact`, {}, { mayFail: true })),
    on('backup', (caller) => caller.call('POST', '/v1/admin/backup', {}, { mayFail: true })),
    on('erase', (caller, id) =>
      caller.call(
        'POST',
        '/v1/erasures',
        { session_id: id, reason: 'bench', rule: 'bench' },
        { mayFail: true },
      ),
    ),
  ];
}

async function foreignBundle(turns: number): Promise<string> {
  const messages = Array.from({ length: turns }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: `Turn ${at}.`,
  }));
  const record = readJson(join(process.cwd(), 'fixtures', 'bundles', 'run-record.json'));
  const file = join(scratchDirectory(), `other-${turns}.bundle.json`);
  writeFileSync(file, await bundleText({ ...record, transcript: { messages } }, 'sanitized'));
  return file;
}

/** Calls on a session of 1,000 ended tasks. */
function manyTasks(): Input[] {
  let kept: Promise<{ session: string; last: string; receipt: string }> | undefined;
  const filled = (caller: Caller, effort: Effort) => {
    kept ??= (async () => {
      const session = await caller.session();
      let last = '';
      for (let n = 0; n < amount(effort, { quick: 200, normal: 1_000 }); n += 1) {
        last = await caller.task(session, [text(`task ${n}`)]);
        await caller.ended(last);
      }
      const { text: said } = await caller.call('GET', `/v1/tasks/${last}/receipts`);
      const { data } = JSON.parse(said) as { data: { id: string }[] };
      return { session, last, receipt: data[0]?.id ?? '' };
    })();
    return kept;
  };
  const on = (
    what: string,
    call: (caller: Caller, made: { session: string; last: string; receipt: string }) => Promise<unknown>,
  ): Input => ({
    what: `session of 1,000 tasks: ${what}`,
    prepare: async (caller, effort) => {
      const made = await filled(caller, effort);
      return () => call(caller, made);
    },
  });
  return [
    on('receipt verified with its chain', (caller, { receipt }) =>
      caller.call('POST', `/v1/receipts/${receipt}/verify`, {}),
    ),
    on('tasks listed', (caller, { session }) =>
      caller.call('GET', `/v1/tasks?limit=200&session_id=${session}`, undefined, { mayFail: true }),
    ),
    on('events', (caller, { session }) => caller.call('GET', `/v1/sessions/${session}/events?limit=200`)),
    on('materials', (caller, { last }) => caller.call('GET', `/v1/tasks/${last}/materials`)),
    on('fork', (caller, { session }) =>
      caller.call('POST', `/v1/sessions/${session}/fork`, {}, { mayFail: true }),
    ),
    on('transcript', (caller, { session }) => caller.call('GET', `/v1/sessions/${session}/transcript`)),
    on('export', (caller, { session }) =>
      caller.call('POST', '/v1/bundles/export', { session_id: session, mode: 'local' }),
    ),
    on('replay check of all', async (caller) => {
      await caller.call('POST', '/v1/admin/replay-check', { sample: 1 });
      for (;;) {
        const { text: said } = await caller.call('GET', '/v1/admin/replay-check');
        if ((JSON.parse(said) as { status: string }).status !== 'RUNNING') return;
        await sleep(20);
      }
    }),
    on('replay of all', async (caller, { session }) => {
      const { text: said } = await caller.call('POST', `/v1/sessions/${session}/replay`, {});
      for (const { id } of (JSON.parse(said) as { data: { id: string }[] }).data) await caller.ended(id);
    }),
    on('/metrics', (caller) => caller.call('GET', '/metrics')),
    on('/openapi.json', (caller) => caller.call('GET', '/openapi.json')),
  ];
}

/** As many and as long globs as a policy and a session take, of each costly kind, on the longest text that is matched. */
function permissions(): Input[] {
  const alternatives = `${'{a*,*a,[a-z]*}'.repeat(16)}${'*a'.repeat(132)}`;
  const costly = ['*a'.repeat(244), '*?'.repeat(244), alternatives, `*${'[!b]'.repeat(121)}`];
  const glob = (n: number) => `${costly[n % costly.length]}${n}`.slice(0, 490);
  return [
    {
      what: 'policy with 128 globs of 490 characters, installed and asked beside 16 rules',
      prepare: async (caller) => {
        const session_id = await caller.session();
        const globs = Array.from({ length: 32 }, (_, n) => glob(n));
        for (let n = 0; n < 16; n += 1) {
          const rule = { scope: 'session', scope_value: session_id, class: 'exec', allow: true };
          const patterns = { action_pattern: '*', target_pattern: glob(n) };
          await caller.call('POST', '/v1/permissions/rules', { ...rule, ...patterns });
        }
        const policy = { read: globs, write: globs, exec: globs, net: globs };
        const check = {
          session_id,
          actor: 'actor_bench',
          class: 'exec',
          action: 'a'.repeat(2_000),
          target: 'a'.repeat(2_000),
        };
        return async () => {
          await caller.call('PUT', '/v1/permissions/policy', policy);
          await caller.call('POST', '/v1/permissions/check', check);
        };
      },
    },
  ];
}

/** Calls of the tools of a server that declares what is hard to check. */
function tools(): Input[] {
  const call = (name: string, input: object): Input => ({
    what: `call of a tool whose schema has ${name}`,
    prepare: async (caller) => {
      await caller.reached('huge__deep');
      const session_id = await caller.session();
      const body = { session_id, input, metadata: { route: `skill:huge__${name}` } };
      return () => caller.call('POST', '/v1/tasks', body, { mayFail: true });
    },
  });
  return [
    call('evil_pattern', { a: `${'a'.repeat(50_000)}!` }),
    call(
      'many_patterns',
      Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`k${n}`, 'a'.repeat(2_000)])),
    ),
    call('many_members', { m1: 1 }),
    call('wide_enum', { a: 'v99999x' }),
    call('deep', { a: {} }),
    call('many_choices', { a: { b: 1 } }),
    call('unique', { a: Array.from({ length: 20_000 }, (_, n) => ({ n })) }),
    {
      what: 'tools listed: a server with 8 hostile schemas',
      prepare: async (caller) => () => caller.call('GET', '/v1/skills?limit=200'),
    },
  ];
}

/** Schemas of a server that wants to be thought about for long; the source of a program. */
const HOSTILE_TOOLS = `
const times = (count, make) => Array.from({ length: count }, (_, n) => make(n));
const object = (properties, more) => ({ type: 'object', properties, ...more });
const nest = (depth) => depth === 0 ? { type: 'string' } : object({ a: nest(depth - 1) });
const SCHEMAS = {
  evil_pattern: object({ a: { type: 'string', pattern: '^(a+)+$' } }),
  many_patterns: { type: 'object', patternProperties: Object.fromEntries(times(500, (n) => ['^k.*(a|b|c){1,50}' + n + '$', { type: 'string', pattern: '^([a-z]{1,30}){1,20}$' }])) },
  many_members: object(Object.fromEntries(times(20000, (n) => ['m' + n, { type: 'integer', minimum: n }]))),
  wide_enum: object({ a: { enum: times(100000, (n) => 'v' + n) } }),
  deep: nest(25),
  many_choices: object({ a: { anyOf: times(5000, (n) => object({ b: { const: 'x' + n } }, { required: ['b'] })) } }),
  unique: object({ a: { type: 'array', uniqueItems: true } }),
};
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'initialize') send({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'hostile', version: '1' } } });
  else if (method === 'tools/list') send({ id, result: { tools: Object.entries(SCHEMAS).map(([name, inputSchema]) => ({ name, inputSchema })) } });
  else if (method === 'tools/call') send({ id, result: { content: [{ type: 'text', text: 'x'.repeat(3000000) }] } });
  else if (id !== undefined) send({ id, error: { code: -32601, message: 'Method not found' } });
}).on('close', () => process.exit(0));
`;

/** An A2A agent and an MCP server that say as much as they may. */
async function hostilePeers() {
  const skills = Array.from({ length: 6_000 }, (_, n) => ({
    id: `s${n}`,
    name: `Skill ${n}`,
    description: 'What it does. '.repeat(5),
    tags: ['t'],
  }));
  const agent = await startScriptedAgent({}, { card: (origin) => ({ ...cards.v1(origin), skills }) });
  const mcp = { id: 'huge', command: [process.execPath, '-e', HOSTILE_TOOLS], trust: true };
  return { cardUrl: agent.cardUrl, mcp, close: () => agent.close() };
}
