import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkData, systemClock, systemRandom } from '#compose/compose.ts';
import type { Move, Turn } from '#protocol-client.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { grpcAddress } from '../harness/grpc-client.ts';
import { badFrames } from './bad-frames.ts';
import { badGrpc } from './bad-grpc.ts';
import { type BadRequest, BadRequests } from './bad-requests.ts';
import { checkLog } from './log-oracle.ts';
import { bind, PuppetClient, textOf } from './puppet-client.ts';
import { type RawAnswer, RawConnection } from './raw-connection.ts';
import { isRightRefusal } from './refusal-form.ts';
import { Report } from './report.ts';
import { SeededRandom } from './seeded-random.ts';

/** Many wait for something: a commit, the end of a cancelled task. */
const CONNECTIONS = 16;
const VIOLATIONS_KEPT = 20;
/** Share of what is sent as frames of a socket. */
const ON_SOCKETS = 0.15;
/** The same as calls of gRPC. */
const ON_GRPC = 0.1;
/** Sessions do not stay open for long here. */
const RESTOCK_EVERY = 100;

/**
 * So many bad requests, from the operations table and broken byte by byte: each is answered below 500, with the error
 * of its protocol, or the connection is closed; nothing hangs, and afterwards the gateway serves and its log is clean.
 */
export async function badInput(seed: number, requests: number): Promise<Report> {
  const report = new Report();
  const data = mkdtempSync(join(tmpdir(), 'harn-bad-input-'));
  try {
    const gateway = await startTestGateway({
      data,
      keys: [{ actor: 'actor_other', tenant: 'tenant_other', workspaces: ['workspace_other'] }],
      config: {
        tenants: [{ id: 'tenant_default' }, { id: 'tenant_other' }],
        workspaces: [
          { id: 'workspace_default', tenant: 'tenant_default' },
          { id: 'workspace_other', tenant: 'tenant_other' },
        ],
        limits: { cancel_wait_ms: 50 },
        server: { grpc: { port: 0 } },
      },
      extraClients: [new PuppetClient(play)],
    });
    try {
      const random = new SeededRandom(seed);
      const frames = Math.round(requests * ON_SOCKETS);
      const calls = Math.round(requests * ON_GRPC);
      await pour(gateway, random, requests - frames - calls, report);
      await pourFrames(gateway, random, frames, report);
      await pourCalls(gateway, random, calls, report);
      await afterwards(gateway, report);
    } finally {
      await gateway.close();
    }
    for await (const step of checkData(data, systemClock, systemRandom))
      report.check(step.kind !== 'finding', () => `log check: ${JSON.stringify(step)}`);
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
  return report;
}

async function* play(turn: Turn): AsyncGenerator<Move[]> {
  yield [bind(turn)];
  if (textOf(turn) === 'hi' && turn.kind === 'start') yield [{ type: 'status', to: 'INPUT_REQUIRED' }];
  else yield [{ type: 'status', to: 'COMPLETED' }];
}

async function pour(
  gateway: TestGateway,
  random: SeededRandom,
  requests: number,
  report: Report,
): Promise<void> {
  const { port, host } = new URL(gateway.url);
  const ids = await stock(gateway);
  const bad = new BadRequests(
    {
      host,
      key: gateway.client.key,
      foreignKey: gateway.clients['actor_other']?.key ?? '',
      ids: await stock(gateway),
    },
    random,
  );
  let left = requests;
  const pourer = async () => {
    const connection = new RawConnection(Number(port));
    while (left > 0 && report.violations.length < VIOLATIONS_KEPT) {
      left -= 1;
      if (left % RESTOCK_EVERY === 0) await restock(gateway, ids);
      const request = bad.next();
      try {
        const answer = await connection.exchange(request.text, request);
        judge(request, answer, report);
        if (answer !== undefined && answer.status < 300) bad.learn(answer.body);
      } catch (error) {
        report.violations.push(`${String(error)} for ${show(request)}`);
        connection.close();
      }
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, pourer));
}

/** The same on the sockets of the Agents Protocol and of ACP. */
async function pourFrames(
  gateway: TestGateway,
  random: SeededRandom,
  frames: number,
  report: Report,
): Promise<void> {
  const ids = await stock(gateway);
  const idOf = (kind: string) => random.pick(ids.get(kind) ?? ['x']);
  const { url } = gateway;
  await badFrames({ url, key: gateway.client.key }, idOf, random, frames, report);
}

/** The same over gRPC, in both versions. */
async function pourCalls(
  gateway: TestGateway,
  random: SeededRandom,
  calls: number,
  report: Report,
): Promise<void> {
  const ids = await stock(gateway);
  const idOf = (kind: string) => random.pick(ids.get(kind) ?? ['x']);
  await badGrpc(await grpcAddress(gateway.url), gateway.client.key, idOf, random, calls, report);
}

/** Resources of every kind, in two tenants, so that the requests have something to hit. */
async function stock({ client, clients }: TestGateway): Promise<Map<string, string[]>> {
  const session = await client.session();
  const task = await client.submit('echo', session.id);
  const asking = await client.submit('hi', session.id);
  const message = await client.post<{ id: string }>(`/v1/sessions/${session.id}/messages`, {
    message: { role: 'user', parts: [{ type: 'text', text: 'x', visibility: 'public' }] },
  });
  const artifact = await client.post<{ id: string }>('/v1/artifacts', {
    kind: 'file',
    mime_type: 'text/plain',
    visibility: 'public',
  });
  const events = await client.events(`/v1/sessions/${session.id}/events`);
  const foreign = await clients['actor_other']?.post<{ id: string }>('/v1/sessions', {
    workspace_id: 'workspace_other',
  });
  const closed = await client.session();
  await client.post(`/v1/sessions/${closed.id}/close`);
  return new Map([
    ['workspace', ['workspace_default', 'workspace_other']],
    ['session', [session.id, closed.id, foreign?.id ?? '']],
    ['task', [task.id, asking.id]],
    ['message', [message.id]],
    ['artifact', [artifact.id]],
    ['event', events.map(({ id }) => id)],
  ]);
}

/** An open session with a task that waits for input, in the place of those that may have been closed. */
async function restock({ client }: TestGateway, ids: Map<string, string[]>): Promise<void> {
  const session = await client.session();
  const task = await client.submit('hi', session.id);
  ids.get('session')?.splice(0, 2, session.id);
  ids.get('task')?.splice(0, 1, task.id);
}

function judge(request: BadRequest, answer: RawAnswer | undefined, report: Report): void {
  report.count('requests');
  report.count(`requests of ${request.face}`);
  if (answer === undefined) {
    report.count('closed without an answer');
    report.check(request.isLast, () => `closed without an answer: ${show(request)}`);
    return;
  }
  report.count(`answered ${Math.floor(answer.status / 100)}xx`);
  report.check(answer.status < 500, () => `${answer.status} ${answer.body} for ${show(request)}`);
  // Of JSON-RPC, with any status: an error inside of the gateway. A2A has no other code for who has no key.
  report.check(
    request.face !== 'mcp' || !/"code":-32603\b/.test(answer.body),
    () => `an internal error: ${answer.body} for ${show(request)}`,
  );
  if (answer.status >= 400 && answer.body !== '')
    report.check(
      isRightRefusal(request.text, answer),
      () => `not refused in the form of its protocol: ${answer.head} ${answer.body} for ${show(request)}`,
    );
}

const show = ({ operation, text }: BadRequest): string =>
  `${operation}: ${JSON.stringify(text.slice(0, 1_500))}`;

async function afterwards(gateway: TestGateway, report: Report): Promise<void> {
  for (const path of ['/health', '/ready'])
    report.check((await gateway.client.call('GET', path)).status === 200, () => `${path} fails afterwards`);
  report.check(!('polluted' in {}), () => 'Object.prototype is polluted');
  const errors = gateway
    .logText()
    .split('\n')
    .filter((line) => line.includes('"level":"error"'));
  report.check(errors.length === 0, () => `logged as errors: ${errors.slice(0, 5).join('\n')}`);
  await checkLog(gateway.client, report);
}
