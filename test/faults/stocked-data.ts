import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Move, Turn } from '#protocol-client.ts';
import { type TestClient, userText } from '../harness/client.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { bind, chunk, PuppetClient, say, textOf } from './puppet-client.ts';

const FILLER = 'The quick brown fox jumps over the lazy dog. ';

/** What a client reads, by path, while nothing is damaged. */
export type Truth = Record<string, string>;

/** A data directory with resources of every kind, most of them in tables and not in the write-ahead log. */
export class StockedData {
  readonly folder = mkdtempSync(join(tmpdir(), 'harn-stocked-'));
  readonly data = join(this.folder, 'pristine');
  truth: Truth = {};

  async make(sessions: number): Promise<this> {
    cpSync(mkdtempSync(join(this.folder, 'empty-')), this.data, { recursive: true });
    const first = await openStocked(this.data);
    for (let n = 0; n < sessions; n += 1) await fill(first.client, n);
    await first.close();
    // Opening writes the old write-ahead log out as tables.
    const second = await openStocked(this.data);
    await fill(second.client, sessions);
    this.truth = await truthOf(second.client);
    await second.close();
    return this;
  }

  /** A copy that may be damaged. */
  copy(name: string): string {
    const target = join(this.folder, name);
    cpSync(this.data, target, { recursive: true });
    return target;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A gateway on stocked data; what waits for input goes on waiting. */
export function openStocked(data: string): Promise<TestGateway> {
  return startTestGateway({ data, extraClients: [new PuppetClient(play)] });
}

async function* play(turn: Turn): AsyncGenerator<Move[]> {
  const text = textOf(turn);
  yield [bind(turn)];
  if (text === 'ask') return yield [{ type: 'status', to: 'INPUT_REQUIRED' }];
  yield [say(`${text} ${FILLER.repeat(5)}`)];
  yield [chunk(FILLER.repeat(20), false)];
  yield [chunk(`end of ${turn.taskId}`, true, true)];
  yield [{ type: 'status', to: 'COMPLETED' }];
}

async function fill(client: TestClient, n: number): Promise<void> {
  const { id } = await client.session({ number: n });
  await client.post(`/v1/sessions/${id}/messages`, { message: userText(`message ${n} ${FILLER.repeat(4)}`) });
  const done = await client.submit(`task ${n}`, id);
  await client.until(done.id, 'COMPLETED');
  const asking = await client.submit('ask', id);
  await client.until(asking.id, 'INPUT_REQUIRED');
}

/** Every resource and range there is, as text. */
export async function truthOf(client: TestClient): Promise<Truth> {
  const truth: Truth = {};
  const read = async (path: string) => {
    const { text, status } = await client.call('GET', path);
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    truth[path] = text;
    return text;
  };
  const idsAt = async (path: string) =>
    (JSON.parse(await read(path)) as { data: { id: string }[] }).data.map(({ id }) => id);
  for (const session of await idsAt('/v1/sessions?limit=200')) {
    await read(`/v1/sessions/${session}`);
    for (const message of await idsAt(`/v1/sessions/${session}/messages?limit=200`))
      await read(`/v1/messages/${message}`);
    for (const task of await idsAt(`/v1/sessions/${session}/tasks?limit=200`)) {
      await read(`/v1/tasks/${task}`);
      await read(`/v1/tasks/${task}/events?limit=200`);
    }
    for (const event of await idsAt(`/v1/sessions/${session}/events?limit=200`))
      await read(`/v1/events/${event}`);
  }
  for (const outcome of await idsAt('/v1/outcomes?limit=200')) await read(`/v1/outcomes/${outcome}`);
  for (const artifact of await idsAt('/v1/artifacts?limit=200')) {
    await read(`/v1/artifacts/${artifact}`);
    await read(`/v1/artifacts/${artifact}/content`);
  }
  return truth;
}
