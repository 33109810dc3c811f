import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { apiKeyHash, newApiKey } from '#auth/api-keys.ts';
import { requestPlaces } from '#compose/partition-of-request.ts';
import type { Config } from '#config/load.ts';
import { HINT_PATH } from '../../../mappings/a2a/operations.ts';

const KEY = 'harn_live_acme_0123456789';
const random = { bytes: (size: number) => new Uint8Array(size).fill(7) };
const PARTITIONS = ['0000', '0001', '0002'];
const TENANTS: Record<string, string> = { tenant_default: '0000', acme: '0001', shop: '0002' };

/** What of a configuration it reads. */
const config = {
  auth: {
    api_keys: [{ hash: apiKeyHash(KEY), tenant: 'acme' }],
    oauth: [
      { issuer: 'https://login.example', claims: { tenant: 'org' }, tenant: 'tenant_default' },
      { issuer: 'https://shop.example', claims: {}, tenant: 'shop' },
    ],
  },
  workspaces: [{ id: 'ws_shop', tenant: 'shop' }],
  connectors: [{ id: 'mail', workspace: 'ws_shop' }],
} as unknown as Config;

const places = requestPlaces(config, PARTITIONS, (tenant) => TENANTS[tenant]);
const request = (headers: Record<string, string>, url = '/v1/sessions') =>
  ({ url, headers }) as unknown as IncomingMessage;
const bearer = (token: string, url?: string) => request({ authorization: `Bearer ${token}` }, url);
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const token = (claims: object) => `${base64({ alg: 'RS256' })}.${base64(claims)}.AAAA`;

describe('a request goes to the partition of its tenant', () => {
  it.each([
    ['a configured key', bearer(KEY), '0001'],
    ['a key that was made in a partition', bearer(newApiKey('live', 'ci', random, '0002')), '0002'],
    ['a key of a log that had one partition', bearer(newApiKey('live', 'ci', random)), '0000'],
    ['a token that names its tenant', bearer(token({ iss: 'https://login.example', org: 'acme' })), '0001'],
    ['a token of an issuer of one tenant', bearer(token({ iss: 'https://shop.example' })), '0002'],
    [
      'a token that is bound to a key',
      request({ authorization: `DPoP ${token({ iss: 'https://shop.example' })}` }),
      '0002',
    ],
    [
      'a browser that opens a socket',
      request({ 'sec-websocket-protocol': `harn.v1, harn.bearer.${KEY}` }),
      '0001',
    ],
    ['a hint of an agent', request({}, `${HINT_PATH}/shop/p0001.${'s'.repeat(43)}`), '0001'],
    ['a delivery to a connector', request({}, '/v1/connectors/mail/deliveries'), '0002'],
  ])('for %s', (_who, req, partition) => {
    expect(places.of(req)).toBe(partition);
  });

  it.each([
    ['no credential', request({})],
    ['an unknown key', bearer('harn_live_x_y')],
    ['a key of a partition that is not there', bearer(newApiKey('live', 'ci', random, '0007'))],
    ['a token of a stranger', bearer(token({ iss: 'https://evil.example', org: 'acme' }))],
    ['a token for an unknown tenant', bearer(token({ iss: 'https://login.example', org: ['acme'] }))],
    ['a token that is none', bearer('a.b.c')],
    [
      'two credentials',
      request({ authorization: 'Bearer x', 'sec-websocket-protocol': `harn.bearer.${KEY}` }),
    ],
    ['a delivery to what is spelled wrongly', request({}, '/v1/connectors/%zz/deliveries')],
    ['a delivery to no connector', request({}, '/v1/connectors/none/deliveries')],
  ])('and to the first for %s, which refuses it', (_what, req) => {
    expect(places.of(req)).toBe('0000');
  });
});

describe('an operator names a partition', () => {
  it.each([
    '/metrics',
    '/ready',
    '/v1/receipt-log/head',
    '/v1/admin/backup',
    '/v1/admin/signing-keys/k1/revoke?x=1',
  ])('for %s', (url) => {
    expect(places.of(request({ 'harn-partition': '0002' }, url))).toBe('0002');
  });

  it.each([
    ['/v1/sessions', '0001'],
    ['/v1/admin/api-keys', '0001'],
    ['/v1/admin/reload', '0001'],
    ['/metricsx', '0001'],
    ['/v1/receipt-log/../sessions', '0001'],
    ['/metrics', '0003'],
    ['/metrics', '1'],
  ])('and is refused for %s in %s', (url, partition) => {
    expect(() => places.of(request({ 'harn-partition': partition }, url))).toThrow(
      'Leave Harn-Partition out',
    );
  });
});
