import { describe, expect, it } from 'vitest';
import { harnCard } from '#cards/harn-card.ts';
import { signHarnCard } from '#cards/sign-card.ts';
import { verifyHarnCard } from '#cards/verify-harn-card.ts';
import type { JsonObject } from '#protocol/json.ts';
import { AGENT, cardOf, NOW, newKey, PUBLIC_URL, trusting } from './card-world.ts';

const key = newKey();
const facts = {
  agents: [AGENT],
  a2aCard: cardOf(),
  a2aUrl: `${PUBLIC_URL}/a2a`,
  publicUrl: PUBLIC_URL,
  createdAt: '2026-11-22T00:00:00.000Z',
};
const signed = signHarnCard(harnCard(facts, 'harn_agent_card'), key) as unknown as JsonObject;
const { value } = signed['signature'] as { value: string };
const withSignature = (extra: JsonObject): JsonObject => ({
  ...signed,
  signature: { ...(signed['signature'] as JsonObject), ...extra },
});
const status = async (card: JsonObject, jwk: JsonObject = key.jwk) =>
  (await verifyHarnCard(card, trusting({ jwk }), NOW)).status;

describe('[C23] the verdict about a HarnAgentCard', () => {
  it('is verified for the card that was signed', async () => {
    expect(await status(signed)).toBe('verified');
    expect(await status({ ...signed, name: 'Another' })).toBe('invalid_signature');
  });

  it('is invalid_signature for another spelling of the same bytes, or none of them', async () => {
    const next = String.fromCharCode(value.charCodeAt(value.length - 3) + 1);
    const shifted = `${value.slice(0, -3)}${next}==`;
    expect(Buffer.from(shifted.slice(7), 'base64')).toEqual(Buffer.from(value.slice(7), 'base64'));
    for (const spelling of [shifted, value.slice(0, -2), value.slice(7), `${value}=`, 'base64:'])
      expect(await status(withSignature({ value: spelling }))).toBe('invalid_signature');
  });

  it('is algorithm_refused for a word that is not ours', async () => {
    for (const algorithm of ['none', 'HS256', 'EdDSA', 'ED25519'])
      expect(await status(withSignature({ algorithm }))).toBe('algorithm_refused');
  });

  it('trusts no key of small order, and none that is for something else', async () => {
    const forged = `base64:${Buffer.from(`01${'00'.repeat(63)}`, 'hex').toString('base64')}`;
    const x = Buffer.from(`01${'00'.repeat(31)}`, 'hex').toString('base64url');
    expect(await status(withSignature({ value: forged }), { ...key.jwk, x })).toBe('unknown_key');
    expect(await status(signed, { ...key.jwk, alg: 'ES256' })).toBe('invalid_signature');
    expect(await status(signed, { ...key.jwk, use: 'enc' })).toBe('unknown_key');
  });
});
