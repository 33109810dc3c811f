import { TestClient } from '../harness/client.ts';
import type { TestGateway } from '../harness/gateway.ts';

export const AUDIENCE = 'https://gateway.test';
export const START_MS = Date.parse('2026-11-22T12:00:00Z');
/** The same in seconds, as tokens count. */
export const NOW = START_MS / 1000;

/** The wall clock and the monotonic clock of a gateway move only when a test says so. */
export const time = { ms: START_MS };
export const clock = { now: () => time.ms, monotonic: () => time.ms - START_MS };

/** The configuration row of an issuer. */
export function issuerRow(url: string, extra: object = {}) {
  return {
    issuer: url,
    audience: AUDIENCE,
    claims: { tenant: 'tenant', workspaces: 'workspaces' },
    max_lifetime: 3600,
    ...extra,
  };
}

/** Claims that let in, but for what is changed. */
export function goodClaims(iss: string, extra: Record<string, unknown> = {}) {
  return {
    iss,
    aud: AUDIENCE,
    sub: 'robot',
    scope: 'sessions:read sessions:write',
    iat: NOW - 10,
    exp: NOW + 600,
    tenant: 'tenant_default',
    workspaces: ['workspace_default'],
    ...extra,
  };
}

export const ask = (gateway: TestGateway, token: string, path = '/v1/sessions') =>
  new TestClient(gateway.url, token).call('GET', path);
