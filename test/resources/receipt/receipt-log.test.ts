import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventLog } from '#eventlog/event-log.ts';
import { verifyConsistency, verifyInclusion } from '#receipts/merkle.ts';
import { verifyTreeHead } from '#receipts/tree-head.ts';
import { keysOfJwks } from '#receipts/verification-keys.ts';
import { ReceiptLog } from '#resources/receipt/receipt-log.ts';
import type { Receipt, TreeHead } from '#resources/receipt/schema.ts';
import { leafKey } from '#store/keys.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';
import type { Peer } from '../../harness/peers/peer.ts';
import { startSampleAgent } from '../../harness/peers/sample-agent.ts';
import { merkleRoot } from '../../harness/receipt-hash.ts';

interface Inclusion {
  receipt_hash: string;
  leaf_hash: string;
  index: number;
  size: number;
  root: string;
  proof: string[];
}
interface Consistency {
  first: { size: number; root: string };
  second: { size: number; root: string };
  proof: string[];
}

const hex = (hash: string) => hash.slice('sha256:'.length);

describe('the receipt log', () => {
  const data = mkdtempSync(join(tmpdir(), 'harn-receipt-log-'));
  let agent: Peer;
  let gateway: TestGateway;
  const start = async () =>
    startTestGateway({
      data,
      keys: [
        { actor: 'foreign', workspaces: ['workspace_b'] },
        { actor: 'no_receipts', scopes: ['tasks:read'] },
      ],
      config: {
        upstreams: { a2a: [{ id: 'sample', card: agent.cardUrl }] },
        workspaces: [{ id: 'workspace_b' }],
        receipts: { acceptance: true },
      },
    });
  beforeAll(async () => {
    agent = await startSampleAgent();
    gateway = await start();
  });
  afterAll(async () => {
    await gateway.close();
    await agent.close();
    rmSync(data, { recursive: true });
  });

  /** Runs tasks and returns their receipts, oldest first. */
  const issue = async (tasks: number) => {
    const receipts: Receipt[] = [];
    for (let n = 0; n < tasks; n += 1) {
      const { id } = await gateway.client.submit('hello');
      await gateway.client.until(id, 'COMPLETED');
      const list = await gateway.client.get<{ data: Receipt[] }>(`/v1/tasks/${id}/receipts`);
      receipts.push(...list.data.reverse());
    }
    return receipts;
  };
  const head = () => gateway.client.get<TreeHead>('/v1/receipt-log/head');
  const keys = async () =>
    keysOfJwks(JSON.parse(await (await fetch(`${gateway.url}/.well-known/jwks.json`)).text()));
  const includes = (id: string, more = '') =>
    gateway.client.get<Inclusion>(`/v1/receipt-log/inclusion?receipt_id=${id}${more}`);
  const consistent = (query: string) =>
    gateway.client.get<Consistency>(`/v1/receipt-log/consistency?${query}`);
  const holds = ({ receipt_hash: _hash, leaf_hash, index, size, root, proof }: Inclusion) =>
    verifyInclusion({ index, size, leaf: hex(leaf_hash), root: hex(root), proof: proof.map(hex) });
  const grows = ({ first, second, proof }: Consistency) =>
    verifyConsistency({
      earlier: { size: first.size, root: hex(first.root) },
      later: { size: second.size, root: hex(second.root) },
      proof: proof.map(hex),
    });

  it('begins with a signed head of nothing', async () => {
    const empty = await head();
    expect(empty).toMatchObject({
      size: 0,
      root: 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      log_id: gateway.log.logId,
    });
    expect(verifyTreeHead(empty, await keys())).toBe('ok');
  });

  it('[S3-10] proves every receipt and every growth, to the root by the definition', async () => {
    const receipts = await issue(10);
    const hashes = receipts.map(({ wire }) => wire.payload.chain.receipt_hash);
    const newest = await head();
    expect(newest).toMatchObject({ size: 20, root: `sha256:${merkleRoot(hashes).toString('hex')}` });
    expect(verifyTreeHead(newest, await keys())).toBe('ok');
    expect(verifyTreeHead({ ...newest, size: 21 }, await keys())).toBe('invalid_signature');
    expect(verifyTreeHead({ ...newest, log_id: 'log_other' }, await keys())).toBe('invalid_signature');
    for (const [index, { id }] of receipts.entries()) {
      const shown = await includes(id);
      expect(shown).toMatchObject({ index, size: 20, root: newest.root, receipt_hash: hashes[index] });
      expect(holds(shown)).toBe(true);
      expect(holds({ ...shown, index: (index + 1) % 20 })).toBe(false);
    }
    const seventh = await includes(receipts[6]?.id ?? '', '&size=7');
    expect(seventh.root).toBe(`sha256:${merkleRoot(hashes.slice(0, 7)).toString('hex')}`);
    expect(holds(seventh)).toBe(true);
    for (let first = 0; first <= 20; first += 1)
      expect(grows(await consistent(`first=${first}`)), String(first)).toBe(true);
  });

  it('[S3-10] grows over a restart and a rotation, and never goes back', async () => {
    const before = await head();
    await gateway.client.post('/v1/admin/signing-keys');
    await gateway.close();
    gateway = await start();
    expect(await head()).toEqual(before);
    await issue(2);
    await gateway.tidy();
    const after = await head();
    expect(after.size).toBe(before.size + 4);
    expect(after.key_id).not.toBe(before.key_id);
    for (const one of [before, after]) expect(verifyTreeHead(one, await keys())).toBe('ok');
    const proof = await consistent(`first=${before.size}&second=${after.size}`);
    expect([proof.first.root, proof.second.root]).toEqual([before.root, after.root]);
    expect(grows(proof)).toBe(true);
  });

  it('refuses sizes it does not have, receipts that are hidden, and callers without the scope', async () => {
    const [receipt] = await issue(1);
    const { size } = await head();
    const ask = (path: string, client = gateway.client) =>
      client.call<{ error: { param: string } }>('GET', `/v1/receipt-log/${path}`);
    for (const [path, param] of [
      [`inclusion?receipt_id=${receipt?.id}&size=1`, 'size'],
      [`inclusion?receipt_id=${receipt?.id}&size=${size + 1}`, 'size'],
      [`inclusion?receipt_id=${receipt?.id}&size=x`, 'size'],
      ['inclusion', 'receipt_id'],
      [`consistency?first=${size + 1}`, 'first'],
      [`consistency?first=1&second=${size + 1}`, 'second'],
      ['consistency?first=-1', 'first'],
      ['consistency', 'first'],
    ] as const) {
      const { status, body } = await ask(path);
      expect([path, status, body.error.param]).toEqual([path, 400, param]);
    }
    const { foreign, no_receipts } = gateway.clients;
    expect((await ask(`inclusion?receipt_id=${receipt?.id}`, foreign)).status).toBe(404);
    expect((await ask('head', no_receipts)).status).toBe(403);
  });

  it('[S3-10] signs no head over a leaf that is not the hash of its receipt', async () => {
    await head();
    await issue(1);
    const { log } = gateway;
    const { size } = log.state<{ size: number }>('x/receipt-log/size') ?? { size: 0 };
    const key = leafKey(size - 1);
    const flipped = Buffer.from(log.record(key) ?? '');
    flipped[0] = (flipped[0] ?? 0) ^ 1;
    const changed: EventLog = Object.create(log, {
      record: { value: (asked: string) => (asked === key ? flipped : log.record(asked)) },
      state: { value: log.state.bind(log) },
      transact: { value: log.transact.bind(log) },
      status: { value: log.status },
    });
    const signed: unknown[] = [];
    const keysThatCount = { current: () => signed.push(1) as never };
    await expect(new ReceiptLog({ log: changed, keys: keysThatCount }).head()).rejects.toMatchObject({
      code: 'resource_locked',
    });
    expect(signed).toEqual([]);
  });
});
