import { createHash } from 'node:crypto';
import { publishedCard } from '../../../mappings/a2a/published-card.ts';
import type { FaceDeps, FaceExchange } from '../../../src/face.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { type Addressed, noAgent, upstreamAgent } from './agents.ts';

const CARD_TYPE = 'application/json; charset=utf-8';

/** The card of what a path names. */
export function cardOf(deps: FaceDeps, { segment, agent, persona }: Addressed): JsonObject {
  const base = `${deps.publicUrl()}/a2a`;
  const url = segment === undefined ? base : `${base}/${encodeURIComponent(segment)}`;
  const routed =
    agent ??
    deps.agents().find(({ route }) => route === persona?.entry_workflow) ??
    upstreamAgent(deps, undefined);
  const described = routed?.description;
  const facts = { url, version: deps.version, pushNotifications: false };
  if (persona === undefined)
    return publishedCard({ ...facts, name: described?.name || agent?.id || 'agent', described });
  const { name, description, version } = persona;
  const own = described && { ...described, description: description || described.description, version };
  return publishedCard({ ...facts, name, described: own });
}

/** Serves the public card of a configured agent, also while the agent is down; a client that has it gets 304. */
export function servePublicCard(deps: FaceDeps, exchange: FaceExchange, segment: string | undefined): void {
  const agent = upstreamAgent(deps, segment);
  if (agent === undefined) throw noAgent();
  sendCard(exchange, cardOf(deps, { segment, agent, persona: undefined }));
}

export function sendCard(exchange: FaceExchange, card: JsonObject): void {
  const text = JSON.stringify(card);
  const tag = `"${createHash('sha256').update(text).digest('base64url')}"`;
  const headers = ['ETag', tag, 'Cache-Control', 'no-cache', 'Vary', 'A2A-Version'];
  const known = String(exchange.headers['if-none-match'] ?? '').split(',');
  if (known.some((entry) => entry.trim().replace(/^W\//, '') === tag)) exchange.sendEmpty(304, headers);
  else exchange.send(200, CARD_TYPE, text, headers);
}
