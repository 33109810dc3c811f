import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import {
  type ClientRequest,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { startModernFixture } from './conformance-mcp-modern.ts';
import { startTestGateway, type TestGateway } from './gateway.ts';

/**
 * Runs the conformance suite of MCP: as a client of `/mcp/{server}` in front of a fixture server of ours for each era, as a
 * client of `/mcp` itself, and as a server that a gateway is put in front of. Every scenario of the baseline has to pass, with more than no checks; one
 * that passes and is not in it fails the run too, so that the baseline grows and never shrinks unseen.
 * `node dist/test/harness/run-mcp-conformance.js <node 22> <suite's index.js> <baseline.yml>`
 */
const [suiteNode = '', suite = '', baselineFile = ''] = process.argv.slice(2);

interface Baseline {
  server: Record<string, string[]>;
  face: Record<string, string[]>;
  client: Record<string, string[]>;
}

const baseline = parse(readFileSync(baselineFile, 'utf8')) as Baseline;
const driver = fileURLToPath(new URL('mcp-conformance-driver.js', import.meta.url));
const faults: string[] = [];
let gateway: TestGateway | undefined;

/** Before the path of `/mcp` itself stands the server whose tools the suite is to find there. */
const FACE = /^\/face\/(\w+)\/mcp$/;

/**
 * The suite knows no credentials: this hop adds one. It knows the names of tools as their server has them, too: on the way to
 * `/mcp` the hop puts those of the gateway in their place, and takes them away in the list. It changes nothing else.
 */
const hop = createServer((req, res) => {
  void serve(req, res).catch(() => res.destroy());
});

async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const row = FACE.exec(req.url ?? '')?.[1];
  const headers: IncomingHttpHeaders = { ...req.headers, authorization: `Bearer ${gateway?.client.key}` };
  const onward = (path: string | undefined, take: (answer: IncomingMessage) => void): ClientRequest => {
    const sent = request(`${gateway?.url}${path}`, { method: req.method ?? 'GET', headers }, take);
    sent.on('error', () => res.destroy());
    res.on('close', () => sent.destroy());
    return sent;
  };
  const passOn = (answer: IncomingMessage) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(res);
  };
  if (row === undefined) {
    req.pipe(onward(req.url, passOn));
    return;
  }
  const named = namedFor(row, await buffer(req));
  const { 'mcp-name': name } = headers;
  if (named.isCall && typeof name === 'string') headers['mcp-name'] = `${row}__${name}`;
  delete headers['content-length'];
  const takeList = async (answer: IncomingMessage): Promise<void> => {
    const bytes = await buffer(answer);
    const { 'content-length': _, ...kept } = answer.headers;
    res.writeHead(answer.statusCode ?? 502, kept);
    res.end(ownNames(row, bytes.toString()));
  };
  onward('/mcp', (answer) => (named.isList ? void takeList(answer) : passOn(answer))).end(named.body);
}

/** A request for the tools of one row. What is no JSON is sent as it came. */
function namedFor(row: string, body: Buffer): { body: Buffer | string; isCall: boolean; isList: boolean } {
  const message = parsed(body.toString()) as { method?: string; params?: { name?: string } } | undefined;
  const isCall = message?.method === 'tools/call';
  if (!isCall || typeof message?.params?.name !== 'string')
    return { body, isCall, isList: message?.method === 'tools/list' };
  const params = { ...message.params, name: `${row}__${message.params.name}` };
  return { body: JSON.stringify({ ...message, params }), isCall, isList: false };
}

/** The tools of one row in a list, by their own names; the answer is JSON or one event. */
function ownNames(row: string, text: string): string {
  const json = text.startsWith('{') ? text : /^data: (\{.*)$/m.exec(text)?.[1];
  const message = parsed(json ?? '') as { result?: { tools?: { name: string }[] } } | undefined;
  const tools = message?.result?.tools;
  if (json === undefined || tools === undefined) return text;
  const own = tools
    .filter(({ name }) => name.startsWith(`${row}__`))
    .map((tool) => ({ ...tool, name: tool.name.slice(row.length + 2) }));
  return text.replace(json, () => JSON.stringify({ ...message, result: { ...message?.result, tools: own } }));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

await new Promise<void>((resolve) => hop.listen(0, 'localhost', resolve));
const { port } = hop.address() as AddressInfo;

const modern = await startModernFixture();
gateway = await startTestGateway({
  config: {
    server: { port: 0, allowed_hosts: [`localhost:${port}`], allowed_origins: [`http://localhost:${port}`] },
    upstreams: {
      a2a: [],
      mcp: [
        {
          id: 'sessions',
          command: [process.execPath, fileURLToPath(new URL('conformance-mcp-server.js', import.meta.url))],
          mount: true,
          interactive: true,
          sampling: true,
        },
        {
          id: 'stateless',
          url: modern.url,
          mount: true,
          interactive: true,
          sampling: true,
          roots: [fileURLToPath(new URL('.', import.meta.url))],
        },
      ],
    },
  },
});

/** Clients that are tested at a time; with sessions the suite measures how soon they come back. */
const AT_ONCE: Record<string, number> = { '2025-11-25': 1, '2026-07-28': 2 };
const MOUNT_OF: Record<string, string> = { '2025-11-25': 'sessions', '2026-07-28': 'stateless' };
// One after the other: some checks wait for less than a second.
for (const [revision, expected] of Object.entries(baseline.server)) {
  const url = `http://localhost:${port}/mcp/${MOUNT_OF[revision]}`;
  const { code, said } = await runSuite('server', '--url', url, '--requirements', revision);
  if (code !== 0) faults.push(`server ${revision}: a scored scenario failed`);
  compare(`server ${revision}`, passedIn(said), expected);
}
await listed(Object.values(MOUNT_OF));
for (const [revision, expected] of Object.entries(baseline.face)) {
  const url = `http://localhost:${port}/face/${MOUNT_OF[revision]}/mcp`;
  const { said } = await runSuite('server', '--url', url, '--requirements', revision);
  compare(`face ${revision}`, passedIn(said), expected);
}
for (const [revision, expected] of Object.entries(baseline.client)) {
  const passed: string[] = [];
  const waiting = [...expected];
  const next = async (): Promise<void> => {
    for (let scenario = waiting.shift(); scenario !== undefined; scenario = waiting.shift())
      if (await passesClient(scenario, revision)) passed.push(scenario);
  };
  await Promise.all(Array.from({ length: AT_ONCE[revision] ?? 1 }, next));
  compare(`client ${revision}`, passed, expected);
}

hop.closeAllConnections();
hop.close();
await gateway.close();
await modern.close();
for (const fault of faults) process.stderr.write(`mcp conformance: ${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;

/** Resolves when the tools of these rows are at `/mcp`. */
async function listed(rows: readonly string[]): Promise<void> {
  for (let tries = 0; tries < 1_000; tries += 1) {
    const { data } = await (gateway as TestGateway).client.get<{ data: { source: string }[] }>('/v1/skills');
    if (rows.every((row) => data.some(({ source }) => source === `mcp:${row}`))) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('the servers were never listed');
}

function compare(what: string, passed: readonly string[], expected: readonly string[]): void {
  const lost = expected.filter((name) => !passed.includes(name));
  const won = passed.filter((name) => !expected.includes(name));
  process.stdout.write(`mcp conformance: ${what}: ${passed.length} scenarios passed\n`);
  faults.push(...lost.map((name) => `${what}: ${name} is in the baseline and does not pass`));
  faults.push(...won.map((name) => `${what}: ${name} passes; add it to ${baselineFile}`));
}

/** A scenario without a single check passes for nothing. */
function passedIn(said: string): string[] {
  return [...said.matchAll(/^✓ ([\w-]+): [1-9]\d* passed, 0 failed/gm)].map(([, name]) => name ?? '');
}

async function passesClient(scenario: string, revision: string): Promise<boolean> {
  const command = `${process.execPath} ${driver}`;
  const how = [
    '--command',
    command,
    '--scenario',
    scenario,
    '--spec-version',
    revision,
    '--timeout',
    '60000',
  ];
  const { code, said } = await runSuite('client', ...how);
  return code === 0 && /^Passed: ([1-9]\d*)\/\1, 0 failed/m.test(said);
}

async function runSuite(...words: string[]): Promise<{ code: number; said: string }> {
  const child = spawn(suiteNode, [suite, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
    });
  const code = await new Promise<number>((resolve) => child.once('close', (ended) => resolve(ended ?? 1)));
  process.stdout.write(said);
  return { code, said };
}
