import { a2aCard } from '#cards/a2a-card.ts';
import { harnCard } from '#cards/harn-card.ts';
import type { JsonValue } from '#protocol/json.ts';
import type { Examples } from '#resources/room.ts';

const AT = '2026-11-21T09:00:00.000Z';
const VERSION = '0.1.0';
const TIMES = { created_at: AT, updated_at: AT, metadata: {} };
const publicUrl = 'http://127.0.0.1:8080';
const agent = {
  name: 'Sample',
  description: 'Echoes what it gets.',
  version: VERSION,
  skills: [{ id: 'echo', name: 'Echo', description: 'Says it again.', tags: ['sample'] }],
  inputModes: ['text/plain'],
  outputModes: ['text/plain'],
};
const offer = { bindings: [], pushNotifications: false, extendedAgentCard: false, extensions: [] };
const signedBy = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k';
const a2aExample = {
  ...a2aCard({ agent, baseUrl: `${publicUrl}/a2a/sample`, publicUrl, offer }),
  signatures: [{ protected: 'eyJhbGciOiJFZERTQSJ9', signature: 'qg3oD8Yx' }],
};
const harnExample = {
  ...harnCard(
    { agents: [agent], a2aCard: a2aExample, a2aUrl: undefined, publicUrl, createdAt: AT },
    'harn_agent_card',
  ),
  signature: { algorithm: 'ed25519', key_id: signedBy, value: 'base64:qg3oD8Yx' },
};
const verdict = {
  status: 'verified',
  reason: 'A trusted key signed exactly this card.',
  key_id: signedBy,
  algorithm: 'EdDSA',
  keys: 'origin',
  covers: 'card',
};

/** Cards, by the name of their schema; the signatures are placeholders of the right form. */
export const examples = {
  A2aAgentCard: a2aExample as unknown as JsonValue,
  Agent: {
    id: 'shop',
    object: 'agent',
    ...TIMES,
    route: 'a2a:shop',
    name: 'Shop',
    description: 'Sells things.',
    version: '1.0.0',
    streaming: true,
    streaming_refused: null,
    card_state: 'current',
    card_fetched_at: AT,
    card_signature: verdict,
    halt_id: null,
    circuit: { state: 'closed', failures: 0, until: null },
    fallback: 'a2a:backup',
  },
  HarnAgentCard: harnExample as unknown as JsonValue,
  UpstreamCard: {
    id: 'shop',
    object: 'upstream_card',
    ...TIMES,
    route: 'a2a:shop',
    url: 'https://shop.example.com/.well-known/agent-card.json',
    fetched_at: AT,
    state: 'current',
    sha256: '50578b20e901f9f51d73d40d4d83e49e9a2e8b83b7cf3836dd28ce4a9f6c2afa',
    signature: verdict,
    card: { name: 'Shop', version: '1.0.0' },
  },
} satisfies Examples;
