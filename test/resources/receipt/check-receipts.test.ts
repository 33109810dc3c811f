import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkData, systemClock, systemRandom } from '#compose/compose.ts';
import type { Finding } from '#eventlog/finding.ts';
import { canonicalJson } from '#json/canonical.ts';
import type { JsonObject } from '#protocol/json.ts';
import { openKeyRegistry } from '#receipts/key-registry.ts';
import { encodeLeaf } from '#receipts/merkle.ts';
import { checkReceipts } from '#resources/receipt/check-receipts.ts';
import { leafKey, receiptKey, resourceKey, TREE_HEAD_KEY } from '#store/keys.ts';
import { openLevelStore } from '#store/level-store.ts';
import { checked, contentOfChecked, seal, unseal } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';
import { startTestGateway } from '../../harness/gateway.ts';
import { startSampleAgent } from '../../harness/peers/sample-agent.ts';
import { receiptHash } from '../../harness/receipt-hash.ts';
import { changeEvent, segmentKey } from '../../harness/stored-events.ts';

/** Writes what whoever can seal records would write, so that only the receipts themselves can tell. */
const put = (store: Store, key: string, content: string | Buffer) =>
  store.write([{ type: 'put', key, value: seal(content, key) }]);
const del = (store: Store, key: string) => store.write([{ type: 'del', key }]);
const read = (store: Store, key: string) => unseal(store.get(key) ?? Buffer.alloc(0), key);
const json = (store: Store, key: string): JsonObject => JSON.parse(read(store, key).toString('utf8'));

describe('the check of the log over receipts', () => {
  const root = mkdtempSync(join(tmpdir(), 'harn-check-receipts-'));
  const data = join(root, 'data');
  /** In the order of their issue: of two tasks of one session, then of one of another. */
  let ids: string[];
  let issued: string[];

  beforeAll(async () => {
    mkdirSync(data);
    const agent = await startSampleAgent();
    const config = {
      upstreams: { a2a: [{ id: 'sample', card: agent.cardUrl }] },
      receipts: { acceptance: true },
    };
    const gateway = await startTestGateway({ data, config });
    const { client } = gateway;
    const ended = async (sessionId?: string) =>
      client.until((await client.submit('hello', sessionId)).id, 'COMPLETED');
    await ended((await ended()).session_id);
    await ended();
    await client.get('/v1/receipt-log/head');
    const events = (await client.events('/v1/events')).filter(({ event }) => event === 'receipt.issued');
    ids = events.map(({ resource }) => resource.id);
    issued = events.map(({ id }) => id);
    await gateway.close();
    await agent.close();
  });
  afterAll(() => rmSync(root, { recursive: true }));

  async function check(change: (store: Store) => Promise<unknown>): Promise<Finding[]> {
    const copy = mkdtempSync(join(root, 'copy-'));
    cpSync(data, copy, { recursive: true });
    const store = await openLevelStore({ path: join(copy, 'store') });
    const findings: Finding[] = [];
    try {
      await change(store);
      const keys = openKeyRegistry({ dir: join(copy, 'keys'), clock: systemClock, random: systemRandom });
      for await (const finding of checkReceipts(store, keys.verificationKeys())) findings.push(finding);
    } finally {
      await store.close();
    }
    return findings;
  }
  const idAt = (at: number) => ids[at] ?? '';
  const rc = (at: number) => receiptKey(idAt(at));

  it('has no finding where nobody changed anything, in the whole check too', async () => {
    expect(ids.length).toBe(6);
    expect(await check(async () => undefined)).toEqual([]);
    const steps = [];
    for await (const step of checkData(data, systemClock, systemRandom)) steps.push(step);
    expect(steps).toEqual([{ kind: 'progress', commits: expect.any(Number), events: expect.any(Number) }]);
  });

  it('finds every flipped bit of a receipt, at this receipt', async () => {
    for (let n = 0; n < 24; n += 1) {
      const at = n % ids.length;
      const findings = await check(async (store) => {
        const bytes = Buffer.from(read(store, rc(at)));
        const where = (n * 7_919) % bytes.length;
        bytes[where] = (bytes[where] ?? 0) ^ (1 << (n % 7));
        await put(store, rc(at), bytes);
      });
      expect(
        findings.some(({ where }) => where === rc(at) || where === leafKey(at)),
        `flip ${n}`,
      ).toBe(true);
    }
  });

  it('finds a receipt that is gone, and one that is told in other bytes', async () => {
    expect(await check((store) => del(store, rc(1)))).toContainEqual(
      expect.objectContaining({ problem: 'receipt', where: rc(1), observed: 'no receipt that can be read' }),
    );
    const respaced = await check((store) => put(store, rc(4), JSON.stringify(json(store, rc(4)), null, 1)));
    expect(respaced).toEqual([
      expect.objectContaining({ where: rc(4), expected: expect.stringContaining('canonicalize') }),
    ]);
  });

  it('finds a receipt that was made again with another content and its own hash: nobody signed it', async () => {
    const findings = await check(async (store) => {
      const receipt = json(store, rc(5)) as JsonObject & { chain: JsonObject; cost: JsonObject };
      receipt.cost['total'] = 1_000;
      receipt.chain['receipt_hash'] = receiptHash(receipt as never);
      await put(store, rc(5), canonicalJson(receipt));
    });
    const steps = findings.map(({ where, expected }) => [where, expected.split(':')[0]]);
    expect(steps).toContainEqual([rc(5), 'signatures']);
    expect(steps).toContainEqual([leafKey(5), 'sha256']);
    expect(steps).toContainEqual([resourceKey('receipt', idAt(5)), 'sha256']);
    expect(steps).toContainEqual([
      expect.stringMatching(/^e\/\d{20}$/),
      expect.stringContaining('receipt_hash'),
    ]);
  });

  it('finds two receipts of a chain that changed places', async () => {
    const findings = await check(async (store) => {
      const [one, other] = [Buffer.from(read(store, rc(0))), Buffer.from(read(store, rc(2)))];
      await put(store, rc(0), other);
      await put(store, rc(2), one);
    });
    expect(findings).toContainEqual(
      expect.objectContaining({ where: rc(0), expected: expect.stringContaining('previous_hash: null') }),
    );
    expect(findings.map(({ where }) => where)).toContain(leafKey(2));
  });

  it('finds a leaf that names another receipt, has another hash, or is gone', async () => {
    const zeros = `sha256:${'0'.repeat(64)}`;
    const leaf = (at: number, receiptId: string, receiptHash = zeros) =>
      check((store) => put(store, leafKey(at), encodeLeaf({ receiptHash, receiptId })));
    expect((await leaf(3, idAt(3))).map(({ where }) => where)).toContain(leafKey(3));
    expect((await leaf(3, idAt(2))).map(({ problem, where }) => [problem, where])).toContainEqual([
      'extra',
      rc(3),
    ]);
    const unfit = await check((store) => put(store, leafKey(3), `${'x'.repeat(32)}a/b`));
    expect(unfit.map(({ where, observed }) => [where, observed])).toContainEqual([
      leafKey(3),
      'another record',
    ]);
    const gone = await check((store) => del(store, leafKey(3)));
    expect(gone.map(({ problem, where }) => [problem, where])).toContainEqual(['missing', leafKey(3)]);
    const cut = await check((store) => del(store, leafKey(5)));
    expect(cut.map(({ problem, where }) => [problem, where])).toEqual([
      ['missing', TREE_HEAD_KEY],
      ['extra', rc(5)],
    ]);
  });

  it.each([
    ['receipt_hash', `sha256:${'1'.repeat(64)}`],
    ['previous_receipt_hash', null],
    ['log_index', 0],
    ['subject', { object: 'task', id: 'task_other' }],
  ])('finds an event that says another %s', async (name, value) => {
    let key = '';
    const findings = await check((store) => {
      key = segmentKey(store, issued[3] ?? '');
      return changeEvent(store, issued[3] ?? '', (event) => ({
        ...event,
        payload: { ...event.payload, [name]: value },
      }));
    });
    expect(findings).toEqual([
      expect.objectContaining({ problem: 'receipt', where: key, observed: JSON.stringify(value) }),
    ]);
  });

  it('finds a Receipt that says another place, or that is gone', async () => {
    const key = resourceKey('receipt', idAt(1));
    const findings = await check((store) => {
      const record = JSON.parse(contentOfChecked(store.get(key) ?? Buffer.alloc(0), key).toString('utf8'));
      record.state.internal.log_index = 4;
      return store.write([{ type: 'put', key, value: checked(JSON.stringify(record), key) }]);
    });
    expect(findings).toContainEqual(
      expect.objectContaining({ where: key, expected: 'leaf 1', observed: 'leaf 4' }),
    );
    expect((await check((store) => del(store, key))).map(({ where }) => where)).toContain(rc(1));
  });

  it('finds a record that is no receipt at all, and a head that is none, without going on from them', async () => {
    for (const content of ['null', '7', '{}', '{"chain":null}', '[]']) {
      const findings = await check((store) => put(store, rc(2), content));
      expect(findings.map(({ where }) => where)).toContain(rc(2));
    }
    const findings = await check((store) => put(store, TREE_HEAD_KEY, '{"size":6}'));
    expect(findings).toEqual([expect.objectContaining({ where: TREE_HEAD_KEY, observed: 'another record' })]);
  });

  it('finds a head of the receipt log with another root, or that nobody signed', async () => {
    const findings = await check((store) =>
      put(
        store,
        TREE_HEAD_KEY,
        JSON.stringify({ ...json(store, TREE_HEAD_KEY), root: `sha256:${'2'.repeat(64)}` }),
      ),
    );
    expect(findings.map(({ where, observed }) => [where, observed])).toEqual([
      [TREE_HEAD_KEY, `sha256:${'2'.repeat(64)}`],
      [TREE_HEAD_KEY, 'invalid_signature'],
    ]);
  });
});
