import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { startModernFixture } from './conformance-mcp-modern.ts';
import { startTestGateway, type TestGateway } from './gateway.ts';

/**
 * Runs the conformance suite of MCP: as a client of `/mcp/{server}` in front of a fixture server of ours for each era, and
 * as a server that a gateway is put in front of. Every scenario of the baseline has to pass, with more than no checks; one
 * that passes and is not in it fails the run too, so that the baseline grows and never shrinks unseen.
 * `node dist/test/harness/run-mcp-conformance.js <node 22> <suite's index.js> <baseline.yml>`
 */
const [suiteNode = '', suite = '', baselineFile = ''] = process.argv.slice(2);

interface Baseline {
  server: Record<string, string[]>;
  client: Record<string, string[]>;
}

const baseline = parse(readFileSync(baselineFile, 'utf8')) as Baseline;
const driver = fileURLToPath(new URL('mcp-conformance-driver.js', import.meta.url));
const faults: string[] = [];
let gateway: TestGateway | undefined;

/** The suite knows no credentials: this hop adds one, and changes nothing else. */
const hop = createServer((req, res) => {
  const headers = { ...req.headers, authorization: `Bearer ${gateway?.client.key}` };
  const onward = request(`${gateway?.url}${req.url}`, { method: req.method ?? 'GET', headers }, (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(res);
  });
  onward.on('error', () => res.destroy());
  res.on('close', () => onward.destroy());
  req.pipe(onward);
});
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
        },
        { id: 'stateless', url: modern.url, mount: true },
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
