import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkData, systemClock, systemRandom } from '#compose/compose.ts';
import type { Finding } from '#eventlog/finding.ts';
import { dataPaths } from '#operation/data-directory.ts';
import { framesInRow } from '#resources/replay/record/frame-row.ts';
import type { Task, TaskMaterial } from '#resources/task/schema.ts';
import { framesOf, keysUnder } from '#store/keys.ts';
import { openLevelStore } from '#store/level-store.ts';
import { seal, unseal } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';
import { sizeOfStore } from '../../bench/counted-gateway.ts';
import { type TestClient, userText } from '../../harness/client.ts';
import { startTestGateway } from '../../harness/gateway.ts';
import { startAcpAgent } from '../../harness/peers/acp-socket-agent.ts';
import { replayOf } from '../../harness/runs.ts';

const agent = await startAcpAgent();
afterAll(() => agent.close());

const CHUNKS = 200;
/** What a turn of that many chunks may leave in the store, keys and values: events, frames, commits and the rest. */
const MOST_BYTES = 220_000;

describe('what the chunks of a stream say is stored once', () => {
  const root = mkdtempSync(join(tmpdir(), 'harn-frames-once-'));
  const data = join(root, 'data');
  const config = { upstreams: { acp: [{ id: 'peer', url: agent.url }] } };
  let task: Task;
  let left: number;

  const prompted = async (client: TestClient, text: string, sessionId: string): Promise<Task> => {
    const body = { input: userText(text), metadata: { route: 'acp:peer' } };
    const { id } = await client.post<Task>(`/v1/sessions/${sessionId}/tasks`, body);
    return client.until(id, 'COMPLETED', 'FAILED');
  };

  beforeAll(async () => {
    mkdirSync(data);
    const first = await startTestGateway({ data, config });
    const { id } = await first.client.session();
    await prompted(first.client, 'hello', id);
    await first.close();
    const before = await sizeOfStore(data);
    const second = await startTestGateway({ data, config });
    task = await prompted(second.client, `stream ${CHUNKS}`, id);
    await second.close();
    left = (await sizeOfStore(data)).bytes - before.bytes;
  }, 60_000);
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  let copies = 0;
  async function copyOf(change: (store: Store) => Promise<unknown>): Promise<string> {
    copies += 1;
    const copy = join(root, `copy-${copies}`);
    cpSync(data, copy, { recursive: true });
    const store = await openLevelStore({ path: dataPaths(copy).store });
    await change(store);
    await store.close();
    return copy;
  }
  async function findingsIn(copy: string): Promise<Finding[]> {
    const findings: Finding[] = [];
    for await (const step of checkData(copy, systemClock, systemRandom))
      if (step.kind === 'finding') findings.push(step.finding);
    return findings;
  }
  async function replayed(copy: string) {
    const { client, close } = await startTestGateway({ data: copy, config });
    try {
      const replay = await replayOf(client, task.id);
      if (replay.failure !== null) return replay.failure.details?.['verdict'];
      const events = await client.events(`/v1/tasks/${replay.id}/events`);
      return events.find(({ event }) => event === 'replay.completed')?.payload['verdict'];
    } finally {
      await close();
    }
  }
  /** The first segment of the task that says `text`. */
  async function segmentSaying(store: Store, text: string): Promise<[key: string, content: string]> {
    for await (const page of store.entries(keysUnder('e/')))
      for (const [key, sealed] of page) {
        const content = unseal(sealed, key).toString();
        if (content.includes(text)) return [key, content];
      }
    throw new Error(`No event says ${text}.`);
  }

  it(`leaves at most ${MOST_BYTES} bytes of ${CHUNKS} chunks`, () => {
    expect(task.status).toBe('COMPLETED');
    expect(left).toBeLessThanOrEqual(MOST_BYTES);
  });

  it('is in no frame a second time, but for what one event does not carry on as a whole', async () => {
    const rows: string[] = [];
    await copyOf(async (store) => {
      for await (const page of store.entries(keysUnder(framesOf(task.id))))
        for (const [key, sealed] of page) rows.push(unseal(sealed, key).toString());
    });
    const frames = rows.flatMap((row) => framesInRow(Buffer.from(row)));
    // Session, chunks, all that was said, answer.
    expect(frames.length).toBeGreaterThanOrEqual(CHUNKS + 2);
    for (const row of rows) expect(row).not.toContain('agent_message_chunk');
    for (const row of rows) expect(row).not.toContain('piece 7 piece 8 ');
  });

  it('is told by log check to be whole, every frame of it', async () => {
    expect(await findingsIn(await copyOf(async () => undefined))).toEqual([]);
  });

  it('is replayed byte_equal, and listed from any number on', async () => {
    const copy = await copyOf(async () => undefined);
    expect(await replayed(copy)).toMatchObject({ status: 'byte_equal' });
    const { client, close } = await startTestGateway({ data: copy, config });
    const listed: TaskMaterial[] = [];
    for (let cursor = ''; ; ) {
      const query = `limit=37${cursor && `&cursor=${cursor}`}`;
      const page = await client.get<{ data: TaskMaterial[]; page: { next_cursor: string | null } }>(
        `/v1/tasks/${task.id}/materials?${query}`,
      );
      listed.push(...page.data);
      if (page.page.next_cursor === null) break;
      cursor = page.page.next_cursor;
    }
    await close();
    expect(listed.map(({ n }) => n)).toEqual(listed.map((_, at) => at + 1));
    expect(listed.length).toBeGreaterThanOrEqual(CHUNKS + 2);
  });

  it('leaves the gateway whole in a bundle, and is replayed byte_equal where that is imported', async () => {
    const source = await startTestGateway({ data: await copyOf(async () => undefined), config });
    const bundle = await source.client.post('/v1/bundles/export', { session_id: task.session_id });
    await source.close();
    const elsewhere = join(root, 'elsewhere');
    mkdirSync(elsewhere);
    const other = await startTestGateway({ data: elsewhere });
    await other.client.post('/v1/bundles/import', bundle);
    await other.close();
    expect(await findingsIn(elsewhere)).toEqual([]);
    expect(await replayed(elsewhere)).toMatchObject({ status: 'byte_equal' });
  });

  it('is told for the event where that is damaged: by log check and by a replay', async () => {
    let where = '';
    const copy = await copyOf(async (store) => {
      const [key] = await segmentSaying(store, 'piece 50 ');
      where = key;
      const bytes = Buffer.from(store.get(key) ?? '');
      bytes.writeUInt8(bytes.readUInt8(200) ^ 1, 200);
      await store.write([{ type: 'put', key, value: bytes }]);
    });
    const findings = await findingsIn(copy);
    expect(findings.map((finding) => finding.where)).toContain(where);
    expect(findings.map((finding) => finding.where).join()).not.toContain('f/');
    const verdict = (await replayed(copy)) as { status: string; where: string; through?: string };
    expect(verdict.status).toBe('tamper_detected');
    expect(verdict.through ?? verdict.where).toBe(where.slice(-20));
  });

  it('is held against its recorded hash: an event that says something else under a right seal is found out', async () => {
    const copy = await copyOf(async (store) => {
      const [key, content] = await segmentSaying(store, 'piece 60 ');
      await store.write([{ type: 'put', key, value: seal(content.replace('piece 60 ', 'peace 60 '), key) }]);
    });
    const findings = await findingsIn(copy);
    const frame = findings.find((finding) => finding.where.startsWith(framesOf(task.id)));
    expect(frame).toMatchObject({ problem: 'hash', where: expect.stringContaining('(acp:peer:') });
  });
});
