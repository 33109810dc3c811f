import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { EventLog } from '#eventlog/event-log.ts';
import { verifyReceipts } from '#receipts/standalone/verify-receipts.ts';
import { keysOfJwks } from '#receipts/verification-keys.ts';
import { verifyFile } from '#receipts/verify-file.ts';
import type { Receipt, ReceiptVerification, SigningKey, TreeHead } from '#resources/receipt/schema.ts';
import { verifyStoredReceipt } from '#resources/receipt/verify-receipt.ts';
import { leafKey, receiptKey } from '#store/keys.ts';
import { stageOf } from '../../conformance/stage.ts';
import { SeededRandom } from '../../faults/seeded-random.ts';
import { flippedLines } from '../../harness/flipped-lines.ts';
import { runCommand } from '../../interop/command-line.ts';

const BARE = { accept: 'application/vnd.harn.receipt+json' };
const CBOR = { accept: 'application/vnd.harn.receipt+cbor' };

describe('receipt verification', () => {
  const stage = stageOf({
    config: { receipts: { acceptance: true } },
    keys: [{ actor: 'reader', scopes: ['tasks:read'] }],
  });
  const directory = mkdtempSync(join(tmpdir(), 'harn-verify-'));
  afterAll(() => rmSync(directory, { recursive: true }));
  const file = (name: string, content: string | Buffer) => {
    const path = join(directory, name);
    writeFileSync(path, content);
    return path;
  };
  const ended = async (text: string, sessionId?: string) => {
    const task = await stage.client.submit(text, sessionId);
    return stage.client.until(task.id, 'COMPLETED', 'FAILED');
  };
  /** Oldest first. */
  const receiptsOf = async (taskId: string) =>
    (await stage.client.get<{ data: Receipt[] }>(`/v1/tasks/${taskId}/receipts`)).data.reverse();
  /** The chain of a session with these tasks that ran one after the other. */
  const chainOf = async (...taskIds: string[]) => (await Promise.all(taskIds.map(receiptsOf))).flat();
  const payloads = (receipts: readonly Receipt[]) => receipts.map(({ wire }) => wire.payload);
  const verify = (id: string, body?: object) =>
    stage.client.post<ReceiptVerification>(`/v1/receipts/${id}/verify`, body);
  const keySet = async () => (await fetch(`${stage.gateway.url}/.well-known/jwks.json`)).text();
  const raw = async (id: string, headers: Record<string, string>) => {
    const answer = await fetch(`${stage.gateway.url}/v1/receipts/${id}`, {
      headers: {
        ...headers,
        authorization: `Bearer ${stage.client.key}`,
        'harn-agents-protocol-version': 'agents-protocol-2026-04-25',
      },
    });
    return Buffer.from(await answer.arrayBuffer());
  };

  it('a file whose resource says something else than the receipt in it fails, naming the member', async () => {
    const [receipt] = await receiptsOf((await ended('hello')).id);
    const keys = keysOfJwks(JSON.parse(await keySet()));
    const verdictOf = (changed: object) =>
      verifyFile(Buffer.from(JSON.stringify({ object: 'list', data: [{ ...receipt, ...changed }] })), {
        keys,
      });
    expect(verdictOf({})).toMatchObject({ ok: true, receipts: 1 });
    const lies = {
      id: 'receipt_other',
      workspace_id: 'workspace_other',
      session_id: 'session_other',
      task_id: 'task_other',
      subject: { object: 'task', id: 'task_other' },
      issuer: 'somebody',
      summary: 'task: FAILED',
    };
    for (const [name, lie] of Object.entries(lies))
      expect(verdictOf({ [name]: lie })).toMatchObject({
        ok: false,
        step: 'schema',
        index: 0,
        observed: expect.stringMatching(new RegExp(`^${name}: `)),
      });
  });

  it('[REC-VER-01] [S3-01] verifies every receipt of a session, records it, and shows it on the receipt', async () => {
    const first = await ended('hello');
    const second = await ended('stream 2', first.session_id);
    for (const { id, task_id } of await chainOf(first.id, second.id)) {
      const verification = await verify(id);
      expect(verification).toMatchObject({
        valid: true,
        reason: null,
        details: { ok: true, step: null, index: null, skipped: [] },
      });
      expect((await stage.client.get<Receipt>(`/v1/receipts/${id}`)).verification).toEqual(verification);
      const events = await stage.client.events(`/v1/tasks/${task_id}/events`);
      expect(events.at(-1)).toMatchObject({ event: 'receipt.verified', payload: { receipt_id: id } });
    }
  });

  it('[REC-VER-01] says no to a trust anchor that did not sign, and to a time before the receipt', async () => {
    const [receipt] = await receiptsOf((await ended('hello')).id);
    const id = receipt?.id ?? '';
    const signer = receipt?.wire.payload.signatures?.[0]?.key_id;
    expect(await verify(id, { trust_anchor: signer })).toMatchObject({ valid: true });
    expect(await verify(id, { trust_anchor: 'another' })).toMatchObject({
      valid: false,
      details: { step: 'signatures', index: 0, observed: 'unknown_key' },
    });
    expect(await verify(id, { at_time: '2020-01-01T00:00:00Z' })).toMatchObject({ valid: false });
    const events = await stage.client.events(`/v1/tasks/${receipt?.task_id}/events`);
    expect(events.at(-1)).toMatchObject({ event: 'receipt.verification_failed' });
    expect(
      (await stage.client.call('POST', `/v1/receipts/${id}/verify`, { body: { at_time: 'x' } })).body,
    ).toMatchObject({
      error: { code: 'invalid_request', param: 'at_time' },
    });
    expect((await stage.as('reader').call('POST', `/v1/receipts/${id}/verify`)).status).toBe(403);
  });

  it('[S3-01] finds whatever changed in the store, at its place in the chain', async () => {
    const first = await ended('hello');
    const second = await ended('hello', first.session_id);
    const chain = await chainOf(first.id, second.id);
    const { log } = stage.gateway;
    const keys = keysOfJwks(JSON.parse(await keySet()));
    const last = chain.at(-1)?.id ?? '';
    const verdictWith = (key: string, bytes: Buffer | undefined) => {
      const changed: EventLog = Object.create(log, {
        record: { value: (asked: string) => (asked === key ? bytes : log.record(asked)) },
        state: { value: log.state.bind(log) },
        indexKeys: { value: log.indexKeys.bind(log) },
      });
      return verifyStoredReceipt(changed, keys, last);
    };
    for (const [index, { id, issued_at }] of chain.entries()) {
      const bytes = log.record(receiptKey(id))?.toString() ?? '';
      const other = Buffer.from(bytes.replace(issued_at, issued_at.replace('2', '3')));
      expect(await verdictWith(receiptKey(id), other)).toMatchObject({ ok: false, step: 'compare', index });
      expect(await verdictWith(receiptKey(id), undefined)).toMatchObject({ ok: false, index });
    }
    const place = Array.from({ length: 100 }, (_, n) => n).find((n) =>
      log.record(leafKey(n))?.toString('utf8', 32).startsWith(last),
    );
    expect(await verdictWith(leafKey(place ?? -1), undefined)).toMatchObject({ step: 'merkle', index: 3 });
  });

  it('[S3-01] [S3-03] verifies without a gateway: one receipt, a list, a chain, CBOR; over a rotation', async () => {
    const first = await ended('hello');
    await stage.client.post<SigningKey>('/v1/admin/signing-keys');
    const second = await ended('stream 2', first.session_id);
    const chain = await chainOf(first.id, second.id);
    const signers = new Set(payloads(chain).map(({ signatures }) => signatures?.[0]?.key_id));
    expect(signers.size).toBe(2);
    const jwks = file('jwks.json', await keySet());
    const lines = payloads(chain).map((receipt) => JSON.stringify(receipt));
    const whole = file('chain.ndjson', `${lines.join('\n')}\n`);
    const one = file('one.json', await raw(chain[2]?.id ?? '', BARE));
    const archive = file('one.cbor', await raw(chain[2]?.id ?? '', CBOR));
    const list = file('list.json', JSON.stringify(await stage.client.get(`/v1/tasks/${second.id}/receipts`)));
    const run = (path: string, ...more: string[]) =>
      runCommand(['receipt', 'verify', path, '--jwks', jwks, ...more]);
    expect(await run(whole)).toMatchObject({
      code: 0,
      out: 'ok: 4 receipts; not checked: head, inclusion\n',
    });
    expect(await run(one)).toMatchObject({
      code: 0,
      out: 'ok: 1 receipt; not checked: previous_hash, merkle, head, inclusion\n',
    });
    for (const path of [one, archive, list])
      expect(await run(path, '--chain', whole)).toMatchObject({ code: 0, err: '' });
    expect((await run(archive, '--json')).out).toContain('"ok":true');
    expect(verifyReceipts(payloads(chain), JSON.parse(await keySet()))).toEqual({ ok: true });
    // A key that is revoked after it signed still proves what it signed.
    const [old = ''] = [...signers];
    await stage.client.post(`/v1/admin/signing-keys/${old}/revoke`);
    file('jwks.json', await keySet());
    expect((await run(whole)).code).toBe(0);
    expect(await verify(chain[0]?.id ?? '')).toMatchObject({ valid: true });
  });

  it('[S3-01] without a gateway names the step and the place, and ends with 1; with 2 when it is asked wrongly', async () => {
    const chain = payloads(await receiptsOf((await ended('hello')).id));
    const jwks = file('jwks.json', await keySet());
    const lines = (receipts: readonly object[]) =>
      receipts.map((receipt) => JSON.stringify(receipt)).join('\n');
    const tampered = chain.map((receipt, n) =>
      n === 1 ? { ...receipt, receipt_id: 'receipt_other' } : receipt,
    );
    const run = (path: string, ...more: string[]) => runCommand(['receipt', 'verify', path, ...more]);
    const bad = await run(file('bad.ndjson', lines(tampered)), '--jwks', jwks, '--json');
    expect(bad.code).toBe(1);
    expect(JSON.parse(bad.out)).toMatchObject({ ok: false, step: 'compare', index: 1 });
    const cut = await run(file('cut.ndjson', lines(chain.slice(1).concat(chain.slice(1)))), '--jwks', jwks);
    expect(cut).toMatchObject({
      code: 1,
      out: expect.stringContaining('failed: previous_hash at receipt 0'),
    });
    const foreign = file('foreign.json', JSON.stringify({ keys: [] }));
    expect((await run(file('one.json', lines(chain.slice(0, 1))), '--jwks', foreign)).out).toContain(
      'unknown_key',
    );
    expect((await run(file('none.json', 'no receipt'), '--jwks', jwks)).code).toBe(1);
    expect((await run(file('one.json', lines(chain.slice(0, 1))))).code).toBe(2);
    const x = Buffer.from(`01${'00'.repeat(31)}`, 'hex').toString('base64url');
    const small = file('small.json', JSON.stringify({ keys: [{ kty: 'OKP', crv: 'Ed25519', kid: 'k', x }] }));
    const refused = await run(file('one.json', lines(chain.slice(0, 1))), '--jwks', small);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('small order') });
    const twice = file('twice.json', `{"keys":[],${(await keySet()).slice(1)}`);
    expect(await run(file('one.json', lines(chain.slice(0, 1))), '--jwks', twice)).toMatchObject({ code: 2 });
  });

  it('[S3-10] shows without a gateway that receipts are in the log of a kept head: a cut tail and a later receipt are found', async () => {
    const first = await ended('hello');
    const chain = await chainOf(first.id);
    const head = await stage.client.get<TreeHead>('/v1/receipt-log/head');
    const later = await chainOf(first.id, (await ended('hello', first.session_id)).id);
    const proofOf = ({ id }: Receipt, size: number) =>
      stage.client.get<object>(`/v1/receipt-log/inclusion?receipt_id=${id}&size=${size}`);
    const proofs = await Promise.all(chain.map((receipt) => proofOf(receipt, head.size)));
    const lines = (list: readonly object[]) => list.map((one) => JSON.stringify(one)).join('\n');
    const jwks = file('jwks.json', await keySet());
    const kept = file('head.json', JSON.stringify(head));
    const proved = file('proofs.ndjson', lines(proofs));
    const run = (receipts: readonly Receipt[], ...more: string[]) =>
      runCommand([
        'receipt',
        'verify',
        file('some.ndjson', lines(payloads(receipts))),
        '--jwks',
        jwks,
        ...more,
      ]);
    const log = ['--head', kept, '--inclusion', proved];
    expect(await run(chain, ...log)).toMatchObject({ code: 0, out: 'ok: 2 receipts\n' });
    expect((await run(chain, '--head', kept)).out).toBe('ok: 2 receipts; not checked: inclusion\n');
    const cut = await run(chain.slice(0, 1), ...log);
    expect(cut).toMatchObject({
      code: 1,
      out: expect.stringContaining('which is in the log, observed none'),
    });
    expect((await run(later, ...log)).out).toContain('failed: inclusion at receipt 2');
    // A proof of a later size, or of another receipt, does not lead to the kept head.
    const newest = await stage.client.get<TreeHead>('/v1/receipt-log/head');
    const [other] = later.slice(2);
    const grown = { ...(await proofOf(other as Receipt, newest.size)), size: head.size };
    const forged = file('forged.ndjson', lines([...proofs, grown]));
    expect((await run(later.slice(0, 3), '--head', kept, '--inclusion', forged)).out).toContain(
      'failed: inclusion at receipt 2: expected a proof that leads to',
    );
    const posed = file('posed.json', JSON.stringify({ ...head, size: head.size - 1 }));
    expect((await run(chain, '--head', posed)).out).toContain('failed: head: expected a head signed by');
    expect((await run(chain, '--head', jwks)).out).toContain('failed: head');
    expect((await run(chain, '--inclusion', proved)).code).toBe(2);
    expect((await run(chain, '--head', kept, '--no-signatures')).code).toBe(2);
  });

  it('[S3-01] finds 2,000 single flipped bits in the stored bytes of an issued chain, each at the right receipt', async () => {
    const first = await ended('hello');
    await stage.client.post<SigningKey>('/v1/admin/signing-keys');
    const second = await ended('stream 2', first.session_id);
    const chain = await chainOf(first.id, second.id);
    const lines = chain.map(({ id }) => `${stage.gateway.log.record(receiptKey(id))?.toString()}\n`);
    const keys = keysOfJwks(JSON.parse(await keySet()));
    expect(verifyFile(Buffer.from(lines.join('')), { keys })).toMatchObject({ ok: true, receipts: 4 });
    for (const { bytes, line, where } of flippedLines(lines, 2_000, new SeededRandom(9))) {
      expect(verifyFile(bytes, { keys }), where).toMatchObject({ ok: false, index: line });
      // The gateway runs in this process and has its connections to look after.
      await setImmediate();
    }
  }, 120_000);

  it('verifies an id through the gateway', async () => {
    const [receipt] = await receiptsOf((await ended('hello')).id);
    const client = ['--url', stage.gateway.url, '--key', stage.client.key];
    const said = await runCommand(['receipt', 'verify', receipt?.id ?? '', ...client]);
    expect(said).toMatchObject({ code: 0, out: 'ok: verified by the gateway, with the chain before it\n' });
    expect((await runCommand(['receipt', 'verify', 'receipt_none', ...client])).code).toBe(1);
  });
});
