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
