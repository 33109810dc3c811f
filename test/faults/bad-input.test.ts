import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { badInput } from './bad-input.ts';
import { type RawAnswer, RawConnection } from './raw-connection.ts';
import { isRightRefusal } from './refusal-form.ts';

const SEED = Number(process.env['FAULTS_SEED'] ?? 20_261_121);
const REQUESTS = Number(process.env['FAULTS_REQUESTS'] ?? 20_000);

describe('bad requests on the HTTP face (F-01, F-02, J, H)', () => {
  it(`never meet a 5xx, a crash or a hang in ${REQUESTS} tries (seed ${SEED})`, async () => {
    const { violations, counts } = await badInput(SEED, REQUESTS);
    process.stderr.write(`bad input, seed ${SEED}: ${JSON.stringify(counts)}\n`);
    expect(violations).toEqual([]);
    expect(counts['requests']).toBe(REQUESTS);
    expect(counts['answered 2xx']).toBeGreaterThan(REQUESTS / 20);
    expect(counts['answered 4xx']).toBeGreaterThan(REQUESTS / 4);
  }, 180_000);
});

describe('the form that a refusal must have', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  afterAll(() => gateway.close());

  const requestOf = (target: string, method = 'GET') =>
    `${method} ${target} HTTP/1.1\r\nHost: ${new URL(gateway.url).host}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;

  async function refused(request: string): Promise<RawAnswer> {
    const connection = new RawConnection(Number(new URL(gateway.url).port));
    const answer = await connection.exchange(request, { isLast: true });
    if (answer === undefined) throw new Error('no answer');
    return answer;
  }

  it.each([
    ['HTTP+JSON', '/a2a/x/.well-k{ent-card.json', 'GET', '"status":"NOT_FOUND"'],
    ['JSON-RPC', '/a2a/x/y', 'POST', '"jsonrpc":"2.0"'],
    ['Harn', '/a2a/x/.well-known/agent-card.json', 'POST', '"request_id":"req_'],
    ['Harn', '/v1/nothing', 'GET', '"request_id":"req_'],
  ])('is that of %s for %s', async (_, target, method, marker) => {
    const request = requestOf(target, method);
    const answer = await refused(request);
    expect(answer.body).toContain(marker);
    expect(isRightRefusal(request, answer)).toBe(true);
  });

  it('is that of A2A on no other path, and says the status that it has', async () => {
    const ofA2a = await refused(requestOf('/a2a/x/y'));
    expect(isRightRefusal(requestOf('/a2a/x/y'), ofA2a)).toBe(true);
    for (const target of ['/v1/tasks', '/a2ax', '/a2a/x/.well-known/agent-card.json'])
      expect(isRightRefusal(requestOf(target), ofA2a), target).toBe(false);
    expect(isRightRefusal(requestOf('/a2a/x/y'), { ...ofA2a, status: 403 })).toBe(false);
    expect(isRightRefusal(requestOf('/a2a/x/y'), { ...ofA2a, body: '{}' })).toBe(false);
  });
});
