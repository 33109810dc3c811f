import { describe, expect, it } from 'vitest';
import { ClientCredentials, type OauthClient } from '#auth/oauth/client-credentials.ts';
import type { JsonValue } from '#protocol/json.ts';

const CLIENT: OauthClient = { tokenUrl: 'https://login.example.com/token', clientId: 'me', scope: 'a b' };
const answer = (token: string, more: object = {}) => ({ access_token: token, token_type: 'Bearer', ...more });

/** Tokens of an endpoint that answers what the test says, on a clock that the test moves. */
function tokensFrom(answers: (asked: number) => JsonValue | Promise<JsonValue>) {
  const asked: { url: string; form: string; authorization: string | undefined }[] = [];
  const hidden: string[] = [];
  const clock = { nowMs: 0, now: () => 0, monotonic: () => clock.nowMs };
  const tokens = new ClientCredentials({
    clock,
    hide: (token) => void hidden.push(token),
    postForm: async (url, form, headers) => {
      asked.push({ url: url.href, form: form.toString(), authorization: headers['authorization'] });
      return answers(asked.length);
    },
  });
  return { tokens, asked, hidden, clock };
}

describe('access tokens by client credentials', () => {
  it('are asked for as RFC 6749 says, with both halves of the client form-encoded', async () => {
    const { tokens, asked, hidden } = tokensFrom((n) => answer(`t${n}`));
    expect(await tokens.token({ ...CLIENT, clientId: 'a:b', audience: 'x' }, 'p ss%')).toBe('t1');
    expect(asked).toEqual([
      {
        url: CLIENT.tokenUrl,
        form: 'grant_type=client_credentials&scope=a+b&audience=x',
        authorization: `Basic ${Buffer.from('a%3Ab:p+ss%25').toString('base64')}`,
      },
    ]);
    expect(hidden).toEqual(['t1']);
  });

  it('are asked for once by many, kept until shortly before they expire, and then renewed', async () => {
    const { tokens, asked, clock } = tokensFrom((n) => answer(`t${n}`, { expires_in: 300 }));
    const many = await Promise.all(Array.from({ length: 50 }, () => tokens.token(CLIENT, 's')));
    expect([new Set(many), asked.length]).toEqual([new Set(['t1']), 1]);
    clock.nowMs = 269_999;
    expect(await tokens.token(CLIENT, 's')).toBe('t1');
    clock.nowMs = 270_000;
    expect(await tokens.token(CLIENT, 's')).toBe('t2');
  });

  it.each([
    ['half of a life shorter than the margin', { expires_in: 20 }, 10_000],
    ['half a minute when nothing is said of it', {}, 30_000],
    ['half a minute when what is said makes no sense', { expires_in: -1 }, 30_000],
  ])('are kept for %s', async (_what, more, keptMs) => {
    const { tokens, clock } = tokensFrom((n) => answer(`t${n}`, more));
    await tokens.token(CLIENT, 's');
    clock.nowMs = keptMs - 1;
    expect(await tokens.token(CLIENT, 's')).toBe('t1');
    clock.nowMs = keptMs;
    expect(await tokens.token(CLIENT, 's')).toBe('t2');
  });

  it('are of their client alone, and asked for anew with a rotated secret or after a failure', async () => {
    const { tokens } = tokensFrom((n) => (n === 1 ? Promise.reject(new Error('down')) : answer(`t${n}`)));
    await expect(tokens.token(CLIENT, 's')).rejects.toThrow('down');
    expect(await tokens.token(CLIENT, 's')).toBe('t2');
    expect(await tokens.token({ ...CLIENT, scope: 'other' }, 's')).toBe('t3');
    expect(await tokens.token(CLIENT, 'rotated')).toBe('t4');
    expect(await tokens.token(CLIENT, 'rotated')).toBe('t4');
  });

  it.each<[JsonValue]>([
    [null],
    [[]],
    [{}],
    [answer('')],
    [answer('two lines\r\nX: 1')],
    [answer('x'.repeat(16_385))],
    [{ access_token: 't1', token_type: 'mac' }],
    [{ access_token: 't1' }],
  ])('an answer that is none is refused without repeating it: %j', async (bad) => {
    const { tokens, hidden } = tokensFrom(() => bad);
    await expect(tokens.token(CLIENT, 'the-secret')).rejects.toThrow(/^the token endpoint gave/);
    expect(hidden).toEqual([]);
  });
});
