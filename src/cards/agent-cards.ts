import { sha256Hex } from '#json/canonical.ts';
import type { JsonObject } from '#protocol/json.ts';
import { DEFAULT_VERSION, type VersionId } from '#protocol/versions.ts';
import type { A2aAgentCard, CardForm, HarnAgentCard } from '#resources/discovery/schema.ts';
import type { Persona } from '#resources/persona/schema.ts';
import { type A2aCardFacts, type A2aOffer, a2aCard, a2aCardV1, type DescribedAgent } from './a2a-card.ts';
import { harnCard } from './harn-card.ts';
import { type CardKey, signA2aCard, signHarnCard } from './sign-card.ts';

/** An agent that clients may call through the gateway. */
export interface CardAgent {
  /** Its id in the configuration; unique among all agents. */
  id: string;
  /** True for the one that runs what names no route. */
  isDefault: boolean;
  /** What it said of itself last; undefined while it has not been reached. */
  description: DescribedAgent | undefined;
}

export interface AgentCardsDeps {
  agents(): readonly CardAgent[];
  /** The agent that a route names, or the one that runs what names none. */
  agentOf(route: string): CardAgent | undefined;
  /** The key that signs now. */
  key(): CardKey;
  offer: A2aOffer;
  /** Where gRPC is served, `host:port`. Default: nowhere. */
  grpcAddress?(): string | undefined;
  /** Version of the gateway, for an agent that has not named its own. */
  version: string;
  /** RFC 3339 time of the start. */
  createdAt: string;
  /** Epoch milliseconds. */
  now(): number;
}

/** A signed card as it is sent. */
export interface SignedDocument<Card> {
  card: Card;
  text: string;
  /** Entity tag with its quotes. */
  tag: string;
  /** When it became what it is, as HTTP writes times: whole seconds of RFC 9110, 5.6.7. */
  modifiedAt: string;
}

const A2A_PATH = '/a2a';
const KEYS_PATH = '/.well-known/jwks.json';
/** Anybody may make personas, so their cards are signed anew when there are many. */
const MAX_SIGNED = 1_000;

/** The cards of the gateway: with its own URLs, and signed once for each version of a card and each key. */
export class AgentCards {
  readonly #deps: AgentCardsDeps;
  readonly #signed = new Map<string, { from: string; document: SignedDocument<object> }>();

  constructor(deps: AgentCardsDeps) {
    this.#deps = deps;
  }

  /** The HarnAgentCard; each version and spelling of `object` is signed for itself. See README.md. */
  harn(
    object: HarnAgentCard['object'],
    publicUrl: string,
    version: VersionId = DEFAULT_VERSION,
  ): SignedDocument<HarnAgentCard> {
    const { offer, createdAt } = this.#deps;
    const a2a = this.#superset(this.#default(), publicUrl, A2A_PATH);
    const facts = {
      agents: this.#deps.agents().flatMap(({ description }) => description ?? []),
      a2aCard: a2a.card,
      a2aUrl: offer.bindings.length > 0 ? publicUrl + A2A_PATH : undefined,
      publicUrl,
      createdAt,
    };
    return this.#once(`harn/${object}/${version}`, harnCard(facts, object, version), signHarnCard);
  }

  /** The A2A card of an agent, without an id of the default one; undefined when there is no such agent. */
  a2a(
    agentId: string | undefined,
    publicUrl: string,
    form: CardForm = 'superset',
  ): SignedDocument<object> | undefined {
    if (agentId === undefined) return this.#a2aOf(form, this.#default(), publicUrl, A2A_PATH);
    const agent = this.#deps.agents().find(({ id }) => id === agentId);
    return agent && this.#a2aOf(form, agent, publicUrl, `${A2A_PATH}/${agent.id}`);
  }

  /** The A2A card of a persona: its own name and words, with the skills of the agent that works for it. */
  persona(
    { id, name, description, version, entry_workflow }: Persona,
    publicUrl: string,
    form: CardForm = 'superset',
  ): SignedDocument<object> {
    const agent = this.#deps.agentOf(entry_workflow) ?? this.#default();
    const behind = agent?.description ?? unreached(agent?.id, this.#deps.version);
    // What the agent's provider, documents and picture say, they say of the agent.
    const { skills, inputModes, outputModes, extensions } = behind;
    const described = { name, description, version, skills, inputModes, outputModes, extensions };
    const persona = { id, isDefault: false, description: described };
    return this.#a2aOf(form, persona, publicUrl, `${A2A_PATH}/${id}`);
  }

  #default(): CardAgent | undefined {
    return this.#deps.agents().find(({ isDefault }) => isDefault);
  }

  #a2aOf(
    form: CardForm,
    agent: CardAgent | undefined,
    publicUrl: string,
    path: string,
  ): SignedDocument<object> {
    if (form === 'superset') return this.#superset(agent, publicUrl, path);
    const card = a2aCardV1(this.#factsOf(agent, publicUrl, path));
    return this.#once(`${form} ${path}`, card, a2aSigner(publicUrl));
  }

  #superset(agent: CardAgent | undefined, publicUrl: string, path: string): SignedDocument<A2aAgentCard> {
    return this.#once(path, a2aCard(this.#factsOf(agent, publicUrl, path)), a2aSigner(publicUrl));
  }

  #factsOf(agent: CardAgent | undefined, publicUrl: string, path: string): A2aCardFacts {
    const { offer, version } = this.#deps;
    const described = agent?.description ?? unreached(agent?.id, version);
    const tenant = path === A2A_PATH ? undefined : path.slice(A2A_PATH.length + 1);
    const grpcAddress = this.#deps.grpcAddress?.();
    return { agent: described, baseUrl: publicUrl + path, publicUrl, offer, tenant, grpcAddress };
  }

  #once<Card extends object>(
    name: string,
    unsigned: Card,
    sign: (card: Card, key: CardKey) => Card,
  ): SignedDocument<Card> {
    const key = this.#deps.key();
    const from = `${key.keyId} ${JSON.stringify(unsigned)}`;
    const known = this.#signed.get(name);
    if (known?.from === from) return known.document as SignedDocument<Card>;
    const card = sign(unsigned, key);
    const text = JSON.stringify(card);
    const modifiedAt = new Date(this.#deps.now()).toUTCString();
    const document = { card, text, tag: `"${sha256Hex(text)}"`, modifiedAt };
    if (this.#signed.size >= MAX_SIGNED) this.#signed.clear();
    this.#signed.set(name, { from, document });
    return document;
  }
}

function a2aSigner(publicUrl: string) {
  return <Card extends A2aAgentCard | JsonObject>(card: Card, key: CardKey) =>
    signA2aCard(card, key, publicUrl + KEYS_PATH);
}

/** What can be said of an agent that never answered. */
function unreached(id: string | undefined, version: string): DescribedAgent {
  return {
    name: id ?? 'Harn gateway',
    description: 'This agent has not described itself yet.',
    version,
    skills: [],
    inputModes: [],
    outputModes: [],
  };
}
