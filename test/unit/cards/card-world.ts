import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { a2aCard, type DescribedAgent } from '#cards/a2a-card.ts';
import type { CardKey } from '#cards/sign-card.ts';
import type { FindKeys } from '#cards/trusted-keys.ts';
import type { JsonObject } from '#protocol/json.ts';
import { rawPublicKey, thumbprint } from '#receipts/ed25519.ts';

export const PUBLIC_URL = 'https://gw.example.com';
export const KEYS_URL = `${PUBLIC_URL}/.well-known/jwks.json`;
export const NOW = Date.UTC(2026, 10, 22);

export const AGENT: DescribedAgent = {
  name: 'Sample',
  description: 'Answers.',
  version: '1.0.0',
  skills: [{ id: 'echo', name: 'Echo', description: 'Echoes.', tags: [] }],
  inputModes: ['text/plain'],
  outputModes: ['text/plain', 'image/png'],
};

/** How the gateway speaks A2A once that face is there. */
export const OFFER = {
  bindings: [
    { protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    { protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
    { protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
  ],
  pushNotifications: true,
  extendedAgentCard: true,
  extensions: [{ uri: 'https://gw.example.com/a2a/ext/harn/v1', description: 'Harn extras.' }],
};

export const cardOf = (agent: DescribedAgent = AGENT) =>
  a2aCard({ agent, baseUrl: `${PUBLIC_URL}/a2a/sample`, publicUrl: PUBLIC_URL, offer: OFFER });

export interface TestKey extends CardKey {
  jwk: JsonObject;
  privateKey: KeyObject;
}

export function newKey(): TestKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const keyId = thumbprint(rawPublicKey(publicKey));
  const jwk = {
    ...(publicKey.export({ format: 'jwk' }) as JsonObject),
    kid: keyId,
    alg: 'EdDSA',
    use: 'sig',
  };
  return { keyId, sign: (bytes) => sign(null, bytes, privateKey), jwk, privateKey };
}

export const trusting =
  (...keys: { jwk: JsonObject }[]): FindKeys =>
  async () => ({ from: 'pinned', keys: keys.map(({ jwk }) => jwk) });
