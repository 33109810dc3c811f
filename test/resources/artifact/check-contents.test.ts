import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkData, systemClock, systemRandom } from '#compose/compose.ts';
import type { Finding } from '#eventlog/finding.ts';
import { dataPaths } from '#operation/data-directory.ts';
import { artifactKeys } from '#resources/artifact/state.ts';
import { contentKey } from '#store/keys.ts';
import { openLevelStore } from '#store/level-store.ts';
import { seal } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';
import { startTestGateway } from '../../harness/gateway.ts';
import { sha256Of } from '../../harness/stored-contents.ts';

const BYTES = Buffer.alloc(300_000, 'shared by two artifacts ');
const WORKSPACE = 'workspace_default';
const pieceOf = (n: number, sha256 = sha256Of(BYTES)) => contentKey(WORKSPACE, sha256, n);
const address = artifactKeys.content(WORKSPACE, sha256Of(BYTES));

describe('log check of stored content', () => {
  const root = mkdtempSync(join(tmpdir(), 'harn-check-contents-'));
  const data = join(root, 'data');

  beforeAll(async () => {
    mkdirSync(data);
    const { client, close } = await startTestGateway({ data });
    for (let at = 0; at < 2; at += 1) {
      const artifact = { kind: 'file', mime_type: 'text/plain', visibility: 'public' };
      const { id } = await client.post<{ id: string }>('/v1/artifacts', artifact);
      const headers = { 'content-type': 'text/plain' };
      await client.call('PUT', `/v1/artifacts/${id}/content`, { body: BYTES, headers });
    }
    await close();
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  let copies = 0;
  /** Findings in a copy of the data after `change`. */
  async function check(change: (store: Store) => Promise<unknown>): Promise<Finding[]> {
    copies += 1;
    const copy = join(root, `copy-${copies}`);
    cpSync(data, copy, { recursive: true });
    const store = await openLevelStore({ path: dataPaths(copy).store });
    await change(store);
    await store.close();
    const findings: Finding[] = [];
    for await (const step of checkData(copy, systemClock, systemRandom))
      if (step.kind === 'finding') findings.push(step.finding);
    return findings;
  }
  const put = (store: Store, key: string, value: Buffer) => store.write([{ type: 'put', key, value }]);
  const del = (store: Store, key: string) => store.write([{ type: 'del', key }]);
  const at = (key: string) => expect.objectContaining({ where: key });

  it('has no finding where nobody changed anything', async () => {
    expect(await check(async () => undefined)).toEqual([]);
  });

  it('names a piece with a flipped bit, once for all that refer to it', async () => {
    const findings = await check(async (store) => {
      const bytes = Buffer.from(store.get(pieceOf(1)) ?? '');
      bytes.writeUInt8(bytes.readUInt8(1_000) ^ 1, 1_000);
      await put(store, pieceOf(1), bytes);
    });
    expect(findings).toEqual([
      { problem: 'hash', where: pieceOf(1), expected: expect.any(String), observed: expect.any(String) },
    ]);
  });

  it('names a piece that is missing', async () => {
    const findings = await check((store) => del(store, pieceOf(0)));
    expect(findings).toContainEqual({
      problem: 'missing',
      where: pieceOf(0),
      expected: sha256Of(BYTES.subarray(0, 262_144)),
      observed: 'no record',
    });
  });

  it('[TRA-16] finds bytes that are not those they are stored under, whoever sealed them', async () => {
    const findings = await check((store) => put(store, pieceOf(1), seal('other bytes', pieceOf(1))));
    expect(findings).toContainEqual({
      problem: 'content',
      where: address,
      expected: `${BYTES.length} bytes with the hash ${sha256Of(BYTES)}`,
      observed: expect.stringMatching(/^262155 bytes with the hash [0-9a-f]{64}$/),
    });
  });

  it('finds a piece that nothing refers to, and one too many', async () => {
    const orphan = pieceOf(0, sha256Of('nobody'));
    const findings = await check(async (store) => {
      await put(store, orphan, seal('nobody', orphan));
      await put(store, pieceOf(2), seal('more', pieceOf(2)));
    });
    expect(findings).toContainEqual({
      problem: 'content',
      where: artifactKeys.content(WORKSPACE, sha256Of('nobody')),
      expected: 'a reference to these bytes',
      observed: 'none',
    });
    expect(findings).toEqual(expect.arrayContaining([at(orphan), at(pieceOf(2)), at(address)]));
  });

  it('finds references to bytes that are gone, and bytes whose references are gone', async () => {
    const gone = await check(async (store) => {
      for (const n of [0, 1]) await del(store, pieceOf(n));
    });
    expect(gone).toContainEqual({
      problem: 'content',
      where: address,
      expected: 'the bytes that are referred to',
      observed: 'none',
    });
    const unreferred = await check((store) => del(store, address));
    expect(unreferred.map(({ problem, where }) => [problem, where])).toEqual([
      ['fold', address],
      ['content', address],
    ]);
  });
});
