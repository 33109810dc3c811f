import { createPublicKey, verify } from 'node:crypto';
import { type AgentCard, canonicalizeAgentCard, verifyAgentCardSignature } from '@a2a-js/sdk';
import type { JWK } from 'jose';
import { describe, expect, it } from 'vitest';
import { AgentCards } from '../../../src/cards/agent-cards.ts';
import { payloadForms } from '../../../src/cards/payload-forms.ts';
import { signA2aCard } from '../../../src/cards/sign-card.ts';
import { canonicalJson } from '../../../src/json/canonical.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { AGENT, cardOf, KEYS_URL, newKey, OFFER, PUBLIC_URL } from './card-world.ts';

const key = newKey();
const signed = (agent = AGENT) => signA2aCard(cardOf(agent), key, KEYS_URL) as unknown as JsonObject;
const header = (entry: { protected: string }) =>
  JSON.parse(Buffer.from(entry.protected, 'base64url').toString());

/** Every value of a card, at any depth. */
function values(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [value];
  return [value, ...Object.values(value).flatMap(values)];
}

describe('a signed A2A card', () => {
  it('[C23] has detached signatures with algorithm, key id, key URL and type', () => {
    const { signatures } = signed() as unknown as { signatures: { protected: string; signature: string }[] };
    for (const entry of signatures) {
      expect(Object.keys(entry)).toEqual(['protected', 'signature']);
      expect(header(entry)).toEqual({ alg: 'EdDSA', jku: KEYS_URL, kid: key.keyId, typ: 'JOSE' });
    }
  });

  it('holds no empty and no default member that readers of A2A would leave out', () => {
    const bare = { ...AGENT, description: '', skills: [{ id: 'x', name: '', description: '', tags: [] }] };
    const card = signed(bare);
    const empty = values(card).filter(
      (value) =>
        value === '' ||
        value === null ||
        (typeof value === 'object' && Object.keys(value as object).length === 0),
    );
    expect(empty).toEqual([]);
    expect(payloadForms(card)).toHaveLength(2);
  });

  it('[A2A-CARD-03] is verified by the JSON verifier of the SDK of A2A 1.0', async () => {
    const seen: unknown[] = [];
    const check = verifyAgentCardSignature(async (kid, jku) => {
      seen.push([kid, jku]);
      return key.jwk as unknown as JWK;
    });
    await expect(check(signed() as unknown as AgentCard)).resolves.toBeUndefined();
    expect(seen[0]).toEqual([key.keyId, KEYS_URL]);
    const forged = { ...signed(), description: 'Other.' };
    await expect(check(forged as unknown as AgentCard)).rejects.toThrow('No valid signatures');
  });

  it('has the text of the SDK and that of the raw card among what is signed', () => {
    const card = cardOf() as unknown as JsonObject;
    const texts = payloadForms(card).map(({ text }) => text);
    expect(texts).toEqual([canonicalJson(card), canonicalizeAgentCard(card as unknown as AgentCard)]);
  });

  it('spells texts in Unicode form C', () => {
    expect(cardOf({ ...AGENT, name: 'Café' }).name).toBe('Café');
  });
});

describe('the spelling that is signed', () => {
  /** Spec: A2A 1.0, 8.4.1, the example of presence. */
  const FRAGMENT = {
    capabilities: { pushNotifications: false, streaming: false },
    description: '',
    name: 'Example Agent',
    skills: [],
    documentationUrl: '',
    securityRequirements: [],
  };

  it('keeps required and explicit members that are empty, and leaves the others out', () => {
    expect(payloadForms(FRAGMENT)[1]).toEqual({
      covers: 'a2a_members',
      text: '{"capabilities":{"pushNotifications":false,"streaming":false},"description":"","documentationUrl":"","name":"Example Agent","skills":[]}',
    });
  });

  it('is, for the SDK of A2A 1.0, the one without empty members', () => {
    const card = {
      ...FRAGMENT,
      version: '1',
      supportedInterfaces: [{ url: 'u', protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' }],
      capabilities: {
        streaming: false,
        extensions: [{ uri: 'e', required: false, params: { deep: [], no: false, n: 1 } }],
      },
      securitySchemes: {
        key: { apiKeySecurityScheme: { location: 'header', name: 'X-Key', description: '' } },
        flow: {
          oauth2SecurityScheme: {
            flows: { clientCredentials: { tokenUrl: 't', scopes: { read: 'Reads.', none: '' } } },
          },
        },
      },
      securityRequirements: [{ schemes: { key: { list: [] } } }],
      defaultInputModes: ['text/plain', ''],
      defaultOutputModes: [],
      provider: { organization: 'o', url: '' },
      skills: [{ id: 's', name: 'S', description: '', tags: [], examples: ['x'] }],
      unknown: { to: 'A2A' },
    };
    const sdk = canonicalizeAgentCard(card as unknown as AgentCard);
    expect(payloadForms(card as JsonObject).at(-1)?.text).toBe(sdk);
  });
});

describe('the cards of a gateway', () => {
  const counting = (initial = newKey()) => {
    const state = { key: initial, signatures: 0, description: AGENT };
    const cards = new AgentCards({
      agents: () => [{ id: 'sample', isDefault: true, description: state.description }],
      agentOf: () => undefined,
      key: () => ({
        keyId: state.key.keyId,
        sign: (bytes) => {
          state.signatures += 1;
          return state.key.sign(bytes);
        },
      }),
      offer: OFFER,
      version: '0.1.0',
      createdAt: '2026-11-21T00:00:00.000Z',
    });
    return { state, cards };
  };

  it('are signed once for each version of a card', () => {
    const { state, cards } = counting();
    const first = cards.a2a('sample', PUBLIC_URL);
    const once = state.signatures;
    expect(cards.a2a('sample', PUBLIC_URL)).toBe(first);
    expect(state.signatures).toBe(once);
    state.description = { ...AGENT, version: '2' };
    expect(cards.a2a('sample', PUBLIC_URL)?.tag).not.toBe(first?.tag);
    expect(state.signatures).toBe(2 * once);
  });

  it('are signed anew when the key is rotated', () => {
    const { state, cards } = counting();
    const before = cards.a2a('sample', PUBLIC_URL);
    state.key = newKey();
    const after = cards.a2a('sample', PUBLIC_URL);
    expect(after?.tag).not.toBe(before?.tag);
    const [entry] = after?.card.signatures ?? [];
    expect(header(entry ?? { protected: '' })).toMatchObject({ kid: state.key.keyId });
  });

  it('[C1] [C23] have a HarnAgentCard with a signature of its own for each spelling of object', () => {
    const { state, cards } = counting();
    const publicKey = createPublicKey({ key: state.key.jwk as never, format: 'jwk' });
    for (const object of ['harn_agent_card', 'agent_card'] as const) {
      const { text, card } = cards.harn(object, PUBLIC_URL);
      const { signature, ...rest } = JSON.parse(text) as JsonObject;
      expect(signature).toEqual({
        algorithm: 'ed25519',
        key_id: state.key.keyId,
        value: expect.stringMatching(/^base64:/),
      });
      const value = Buffer.from(card.signature?.value.slice('base64:'.length) ?? '', 'base64');
      const good = (content: JsonObject) =>
        verify(null, Buffer.from(canonicalJson(content)), publicKey, value);
      expect(good(rest)).toBe(true);
      expect(good({ ...rest, public_url: 'https://evil.example.com' })).toBe(false);
      expect(good({ ...rest, object: 'other' })).toBe(false);
    }
  });

  it('name only URLs of the gateway', () => {
    const { cards } = counting();
    const { text } = cards.harn('harn_agent_card', PUBLIC_URL);
    const hosts = [...text.matchAll(/"url":"https?:\/\/([^/"]+)/g)].map(([, host]) => host);
    expect(new Set(hosts)).toEqual(new Set(['gw.example.com', 'harnlang.com']));
  });
});
