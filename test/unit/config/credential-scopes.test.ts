import { expect, it } from 'vitest';
import { load } from './config-harness.ts';

const hash = (digit: string) => `sha256:${digit.repeat(64)}`;

it('who has a wide scope without those of the gateway itself is named with what it lacks', () => {
  const auth = {
    api_keys: [
      { id: 'warden', scopes: ['admin'] },
      { id: 'scraper', scopes: ['admin', 'metrics:read'] },
      { id: 'root', scopes: ['*'] },
      { id: 'operator', scopes: ['admin', 'operator'] },
      { id: 'reader', scopes: ['tasks:read'] },
    ].map((key, at) => ({ ...key, actor: key.id, hash: hash(String(at)) })),
    oauth: [
      { issuer: 'https://a.example.com', audience: 'x' },
      { issuer: 'https://b.example.com', audience: 'x', scopes: ['*', 'operator'] },
    ],
  };
  expect(load({ yaml: JSON.stringify({ auth }) }).narrowed).toEqual([
    { path: 'auth.api_keys[0]', name: 'warden', lacks: ['operator', 'metrics:read'] },
    { path: 'auth.api_keys[1]', name: 'scraper', lacks: ['operator'] },
    { path: 'auth.oauth[0]', name: 'https://a.example.com', lacks: ['operator', 'metrics:read'] },
  ]);
});

it('who is operator of all tenants by the * of one of them is named', () => {
  const api_keys = [
    { id: 'root', scopes: ['*'] },
    { id: 'unsaid', tenant: 'acme' },
    { id: 'wide', tenant: 'acme', scopes: ['*'] },
    { id: 'meant', tenant: 'acme', scopes: ['*', 'operator'] },
    { id: 'admin', tenant: 'acme', scopes: ['admin'] },
  ].map((key, at) => ({ ...key, actor: key.id, hash: hash(String(at)), workspaces: ['w'] }));
  const workspaces = [{ id: 'w', tenant: 'acme' }];
  const sections = { tenants: [{ id: 'acme' }], workspaces, auth: { api_keys: api_keys.slice(1) } };
  expect(load({ yaml: JSON.stringify(sections) }).tenantOperators).toEqual([
    { path: 'auth.api_keys[0]', name: 'unsaid', tenant: 'acme' },
    { path: 'auth.api_keys[1]', name: 'wide', tenant: 'acme' },
  ]);
  expect(
    load({ yaml: JSON.stringify({ auth: { api_keys: [{ ...api_keys[0], workspaces: undefined }] } }) })
      .tenantOperators,
  ).toEqual([]);
});
