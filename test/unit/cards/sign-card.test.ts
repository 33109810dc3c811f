import { createPublicKey, verify } from 'node:crypto';
import { type AgentCard, canonicalizeAgentCard, verifyAgentCardSignature } from '@a2a-js/sdk';
import type { JWK } from 'jose';
import { describe, expect, it } from 'vitest';
import { AgentCards } from '#cards/agent-cards.ts';
import { payloadForms } from '#cards/payload-forms.ts';
import { signA2aCard } from '#cards/sign-card.ts';
import { canonicalJson } from '#json/canonical.ts';
import type { JsonObject } from '#protocol/json.ts';
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
    // Readers of 1.0 see nothing in the scheme of 0.3: some keep the empty entry, some do not.
    expect(payloadForms(card)).toHaveLength(3);
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
    expect(texts).toHaveLength(3);
    expect(texts[0]).toBe(canonicalJson(card));
    expect(texts[2]).toBe(canonicalizeAgentCard(card as unknown as AgentCard));
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
    const state = { key: initial, signatures: 0, description: AGENT, nowMs: Date.UTC(2026, 10, 21) };
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
      now: () => state.nowMs,
    });
    return { state, cards };
  };

  it('are signed once for each version of a card', () => {
    const { state, cards } = counting();
    const first = cards.a2a('sample', PUBLIC_URL);
    const once = state.signatures;
    expect(cards.a2a('sample', PUBLIC_URL)).toBe(first);
    expect(state.signatures).toBe(once);
    state.nowMs += 90_000;
    expect(cards.a2a('sample', PUBLIC_URL)?.modifiedAt).toBe('Sat, 21 Nov 2026 00:00:00 GMT');
    state.description = { ...AGENT, version: '2' };
    const next = cards.a2a('sample', PUBLIC_URL);
    expect(next?.tag).not.toBe(first?.tag);
    expect(next?.modifiedAt).toBe('Sat, 21 Nov 2026 00:01:30 GMT');
    expect(state.signatures).toBe(2 * once);
  });

  it('[C3] have members of 1.0 alone in their pure form: all that signers know is all there is', () => {
    const { state, cards } = counting();
    const document = cards.a2a('sample', PUBLIC_URL, '1.0');
    const { signatures, ...card } = JSON.parse(document?.text ?? '{}') as JsonObject;
    expect(payloadForms(card)).toEqual([{ covers: 'card', text: canonicalJson(card) }]);
    expect(signatures).toHaveLength(1);
    expect(card).toMatchObject({
      supportedInterfaces: [{}, {}, { protocolVersion: '0.3' }, { url: `${PUBLIC_URL}/v1` }, {}],
      securitySchemes: { bearer_v1: { httpAuthSecurityScheme: { scheme: 'bearer' } } },
      securityRequirements: [{ schemes: { bearer_v1: {} } }],
      capabilities: { extendedAgentCard: true },
    });
    const superset = JSON.parse(cards.a2a('sample', PUBLIC_URL)?.text ?? '{}') as JsonObject;
    expect(
      Object.keys(superset)
        .filter((name) => !(name in card) && name !== 'signatures')
        .sort(),
    ).toEqual([
      'additionalInterfaces',
      'preferredTransport',
      'protocolVersion',
      'security',
      'supportsAuthenticatedExtendedCard',
      'url',
    ]);
    const once = state.signatures;
    expect(cards.a2a('sample', PUBLIC_URL, '1.0')).toBe(document);
    expect(state.signatures).toBe(once);
  });

  it('[C3] hold no entry for two versions: schemes have a name for each, and 0.3 is told of its own transports', () => {
    const { cards } = counting();
    const card = JSON.parse(cards.a2a('sample', PUBLIC_URL)?.text ?? '{}') as JsonObject;
    expect(card).toMatchObject({
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        bearer_v1: { httpAuthSecurityScheme: { scheme: 'bearer' } },
      },
      security: [{ bearer: ['tasks:read', 'tasks:write'] }],
      securityRequirements: [{ schemes: { bearer_v1: { list: ['tasks:read', 'tasks:write'] } } }],
    });
    expect(Object.values(card['securitySchemes'] as object).map((scheme) => Object.keys(scheme))).toEqual([
      ['type', 'scheme'],
      ['httpAuthSecurityScheme'],
    ]);
    const a2a = `${PUBLIC_URL}/a2a/sample`;
    expect(card['additionalInterfaces']).toEqual([{ url: a2a, transport: 'JSONRPC' }]);
  });

  it('are signed anew when the key is rotated', () => {
    const { state, cards } = counting();
    const before = cards.a2a('sample', PUBLIC_URL);
    state.key = newKey();
    const after = cards.a2a('sample', PUBLIC_URL);
    expect(after?.tag).not.toBe(before?.tag);
    const [entry] = (JSON.parse(after?.text ?? '{}') as { signatures: { protected: string }[] }).signatures;
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
