import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Redactor } from '#redaction/redactor.ts';

const PROSE = [
  'The agent asked for a token budget of 4096 and received the answer in two chunks.',
  'Reset your password on the settings page; the secret of good tests is patience.',
  'Risk-level low, task-manager idle, disk-usage at 43 %, mask-based-segmentation-v2 done.',
  'import { createHash } from "node:crypto"; const key = await loadKey(id);',
  'if (token === undefined) throw new Error("missing token: log in again");',
  'SELECT id, created_at FROM sessions WHERE id = $1 ORDER BY created_at DESC',
  'GET /v1/events?after_event_id=00000000000000000042&limit=200 HTTP/1.1',
  'Content-Type: application/json; charset=utf-8',
  'see https://example.com/docs/a/b.html?lang=en&x=1#part-2, mail team@example.com',
  'git clone https://example.com/org/repo.git && npm ci && npm test -- --watch=false',
  'const { password, ...rest } = user; // never log the password',
  'Authorization is checked before the version; authentication uses bearer tokens.',
  'ACCESS_TOKEN_LIFETIME_SECONDS=3600 and max_tokens: 2048, temperature: 0.2',
  'Das Kennwort wird geprüft. パスワードを確認します。 Пароль проверяется.',
];

/** Digests make the texts the same in every run. */
function digest(index: number, algorithm = 'sha256'): Buffer {
  return createHash(algorithm).update(String(index)).digest();
}

function uuid(index: number): string {
  return digest(index)
    .toString('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-a$4-$5');
}

const KINDS: ((index: number) => string)[] = [
  uuid,
  (index) => digest(index).toString('hex'),
  (index) => `sha256:${digest(index).toString('hex')}`,
  (index) => digest(index, 'sha512').toString('base64'),
  (index) => digest(index, 'sha512').toString('base64url'),
  (index) =>
    `data:image/png;base64,iVBORw0KGgo${Buffer.concat([1, 2, 3, 4, 5, 6].map((n) => digest(index * 7 + n, 'sha512'))).toString('base64')}`,
  (index) => `task_01${digest(index).toString('hex').toUpperCase().slice(0, 24)}`,
  (index) =>
    `00-${digest(index).toString('hex').slice(0, 32)}-${digest(index).toString('hex').slice(0, 16)}-01`,
  (index) => `${PROSE[index % PROSE.length]} (${index})`,
  (index) =>
    JSON.stringify({
      id: uuid(index),
      created_at: '2026-11-21T00:00:00.000Z',
      page_token: uuid(index),
      n: index,
    }),
];

describe('R-06 ordinary text', () => {
  it('comes back unchanged, 2,000 of 2,000', () => {
    const redactor = new Redactor();
    redactor.addKnownSecret('a known secret of this gateway');
    const texts = Array.from({ length: 2000 }, (_, index) => KINDS[index % KINDS.length]?.(index) ?? '');
    expect(new Set(texts).size).toBe(2000);
    expect(texts.filter((text) => redactor.redactText(text) !== text)).toEqual([]);
  });

  it('comes back unchanged as one large image', () => {
    const blocks = Array.from({ length: 16_000 }, (_, index) => digest(index, 'sha512'));
    const image = Buffer.concat(blocks).toString('base64');
    expect(new Redactor().redactText(image) === image).toBe(true);
  });
});
