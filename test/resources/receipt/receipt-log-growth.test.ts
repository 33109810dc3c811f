import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#protocol/json.ts';
import { keysOfJwks, type VerificationKeys } from '#receipts/verification-keys.ts';
import { verifyFile } from '#receipts/verify-file.ts';
import type { TreeHead } from '#resources/receipt/schema.ts';
import { stageOf } from '../../conformance/stage.ts';
import { runCommand } from '../../interop/command-line.ts';

const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));

describe('two heads of the receipt log that were kept', () => {
  const config = { receipts: { acceptance: true } };
  const stage = stageOf({ config });
  const other = stageOf({ config });
  const folder = mkdtempSync(join(tmpdir(), 'harn-heads-'));
  let [receipt, jwks, proof]: JsonObject[] = [];
  let keys: VerificationKeys;
  let heads: TreeHead[];
  beforeAll(async () => {
    const { client } = stage;
    const ended = async () => client.until((await client.submit('hello')).id, 'COMPLETED');
    const head = () => client.get<TreeHead>('/v1/receipt-log/head');
    const { receipt_id } = await ended();
    const first = await head();
    await ended();
    await ended();
    heads = [first, await head()];
    receipt = await client.get<JsonObject>(`/v1/receipts/${receipt_id}`);
    jwks = await client.get<JsonObject>('/.well-known/jwks.json');
    keys = keysOfJwks(jwks);
    proof = await client.get<JsonObject>(`/v1/receipt-log/consistency?first=${first.size}`);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const verdict = (earlier: unknown, head: unknown, between: unknown, trusted = keys) =>
    verifyFile(bytesOf(receipt), {
      keys: trusted,
      head: bytesOf(head),
      growth: { earlier: bytesOf(earlier), proof: bytesOf(between) },
    });

  it('[S3-10] are shown to be of one log that only grew, without a gateway', () => {
    const [first, newest] = heads;
    expect(first?.size).toBe(2);
    expect(verdict(first, newest, proof)).toMatchObject({ ok: true, step: null });
    expect(verdict(newest, newest, { ...proof, first: proof?.['second'], proof: [] })).toMatchObject({
      ok: true,
    });
  });

  it('[S3-10] fail at consistency where the proof does not lead from the one to the other', () => {
    const [first, newest] = heads;
    const [path] = [proof?.['proof'] as string[]];
    const spoiled: Record<string, unknown> = {
      'a step is missing': { ...proof, proof: path?.slice(1) },
      'a step is too many': { ...proof, proof: [...(path ?? []), newest?.root] },
      'nothing is proved': { ...proof, proof: [] },
      'steps are swapped': { ...proof, proof: path?.toReversed() },
      'it is for another size': { ...proof, first: { ...(proof?.['first'] as object), size: 1 } },
      'its size is beyond all': { ...proof, second: { ...(proof?.['second'] as object), size: 2 ** 53 - 1 } },
      'it is no proof': receipt,
      'it is nothing': null,
    };
    for (const [what, between] of Object.entries(spoiled))
      expect(verdict(first, newest, between), what).toMatchObject({ ok: false, step: 'consistency' });
    expect(verdict(newest, first, proof)).toMatchObject({ ok: false, step: 'consistency' });
  });

  it('[S3-10] fail at the head that no trusted key signed, or that is of another log', async () => {
    const [first, newest] = heads;
    expect(verdict({ ...first, size: 1 }, newest, proof)).toMatchObject({ ok: false, step: 'head' });
    expect(verdict(first, { ...newest, size: 9 }, proof)).toMatchObject({ ok: false, step: 'head' });
    const foreign = await other.client.get<TreeHead>('/v1/receipt-log/head');
    expect(verdict(foreign, newest, proof)).toMatchObject({ step: 'head', observed: 'unknown_key' });
    const both = new Map([
      ...keys,
      ...keysOfJwks(await other.client.get<JsonObject>('/.well-known/jwks.json')),
    ]);
    const empty = { ...proof, first: { size: 0, root: foreign.root }, proof: [] };
    expect(verdict(foreign, newest, empty, both)).toMatchObject({ ok: false, step: 'consistency' });
  });

  it('are named on the command line, both or none', async () => {
    const file = (name: string, value: unknown) => {
      const path = join(folder, name);
      writeFileSync(path, JSON.stringify(value));
      return path;
    };
    const given = ['receipt', 'verify', file('receipt.json', receipt), '--jwks', file('jwks.json', jwks)];
    const later = ['--head', file('head.json', heads[1])];
    const before = ['--earlier', file('earlier.json', heads[0])];
    const proved = ['--consistency', file('proof.json', proof)];
    expect(await runCommand([...given, ...later, ...before, ...proved])).toMatchObject({
      code: 0,
      out: 'ok: 1 receipt; not checked: previous_hash, merkle, inclusion\n',
    });
    const swapped = ['--head', before[1] ?? '', '--earlier', later[1] ?? '', ...proved];
    expect(await runCommand([...given, ...swapped])).toMatchObject({
      code: 1,
      out: expect.stringContaining('failed: consistency: expected a proof from 6 to 2'),
    });
    expect((await runCommand([...given, ...later, ...before])).code).toBe(2);
    expect((await runCommand([...given, ...before, ...proved])).code).toBe(2);
  });

  it('[S3-10] are collected with the chain and all proofs in one file, whose verification leaves nothing open', async () => {
    const file = (name: string, value: unknown) => {
      const path = join(folder, name);
      writeFileSync(path, JSON.stringify(value));
      return path;
    };
    const client = ['--url', stage.gateway.url, '--key', stage.client.key];
    const session = await stage.client.session();
    const tasks = [];
    for (const text of ['hello', 'stream 2']) {
      const { id } = await stage.client.submit(text, session.id);
      tasks.push((await stage.client.until(id, 'COMPLETED')).id);
    }
    const earlier = file('kept.json', heads[0]);
    const out = join(folder, 'collected.json');
    const collect = ['receipt', 'collect', tasks[0] ?? '', '--out', out, ...client];
    expect((await runCommand([...collect, '--earlier', earlier])).code).toBe(0);
    const given = ['receipt', 'verify', out, '--jwks', file('jwks.json', jwks)];
    expect(await runCommand([...given, '--earlier', earlier])).toMatchObject({
      code: 0,
      out: 'ok: 4 receipts\n',
    });
    const whole = JSON.parse(readFileSync(out, 'utf8')) as { receipts: object[]; inclusion: object[] };
    const spoiled: [object, string][] = [
      [{ ...whole, receipts: whole.receipts.slice(0, -1) }, 'inclusion'],
      [{ ...whole, receipts: whole.receipts.slice(1) }, 'previous_hash'],
      [{ ...whole, inclusion: whole.inclusion.slice(1) }, 'inclusion'],
      [{ ...whole, head: heads[1] }, 'consistency'],
      [{ ...whole, consistency: proof }, 'consistency'],
    ];
    for (const [content, step] of spoiled) {
      const path = file('spoiled.json', content);
      const { code, out: said } = await runCommand([
        'receipt',
        'verify',
        path,
        '--earlier',
        earlier,
        ...given.slice(3),
      ]);
      expect([code, said], step).toEqual([1, expect.stringContaining(`failed: ${step}`)]);
    }
    await runCommand(collect);
    expect((await runCommand(given)).out).toBe('ok: 4 receipts\n');
    expect((await runCommand([...given, '--earlier', earlier])).code).toBe(2);
    const wrong = await runCommand([...collect, '--earlier', file('no-head.json', { size: 1 })]);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('--earlier')]);
    expect((await runCommand(['receipt', 'collect', 'task_none', ...client])).code).toBe(1);
  });
});
