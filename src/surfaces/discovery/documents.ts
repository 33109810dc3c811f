import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { AgentCards, SignedDocument } from '#cards/agent-cards.ts';
import type { AdmittedCaller } from '#gateway.ts';
import { ProtocolError } from '#protocol/errors.ts';
import {
  PROTOCOL_FAMILY,
  type ProtocolVersion,
  refuseKey,
  SUPPORTED_VERSIONS,
  VERSION_HEADER,
  VERSIONS,
} from '#protocol/versions.ts';
import { loadExamples } from '#resources/load-examples.ts';
import type { DocumentId } from '#resources/operations.ts';
import type { Persona } from '#resources/persona/schema.ts';
import { JSON_TYPE, send, sendEmpty, sendJson } from '#surfaces/http/exchange.ts';
import type { Exchange } from '../http/exchange.ts';
import { asyncApiDocument } from './asyncapi.ts';
import { openApiDocument } from './openapi.ts';
import { type ProtectedResourceFacts, protectedResource } from './protected-resource.ts';

export interface Readiness {
  ok: boolean;
  /** One word: `ready`, `verifying`, `fenced`, `draining`. */
  status: string;
  reason: string | null;
  details: Record<string, string | number | boolean | null | string[]>;
}

export interface DocumentDeps {
  /** Version of the gateway package. */
  version: string;
  /** What is described to a reader who names no version, or none that is spoken here. */
  defaultVersion: ProtocolVersion;
  /** Origin that clients use; asked at each request because a free port is known only after listening. */
  publicUrl(): string;
  readiness(): Readiness;
  cards: Pick<AgentCards, 'harn' | 'a2a' | 'persona'>;
  /** A persona whose card this caller may read; undefined for one that is hidden or absent. */
  persona(
    id: string,
    reader: { requestId: string; signal: AbortSignal; caller(): AdmittedCaller | undefined },
  ): Promise<Persona | undefined>;
  /** Whose access tokens are taken. */
  resource: ProtectedResourceFacts;
  /** The public keys; asked at each request, because keys are rotated while the gateway runs. */
  keySet(): object;
}

type Document = (exchange: Exchange, path: Readonly<Record<string, string>>) => Promise<void> | void;

const RETRY_READY_SECONDS = '1';

/** A verifier that meets an unknown key asks again; a revocation is known within this time. */
const KEY_SET_AGE = ['Cache-Control', 'public, max-age=300'];

/** A card changes when its agent does, or the key that signs it; the tag shows it for sure. */
const CARD_AGE_SECONDS = 60;
/** It changes with the configuration alone. */
const RESOURCE_AGE = ['Cache-Control', 'public, max-age=300'];

/** The documents in which the gateway describes itself. They advertise only what works. */
export class Documents {
  readonly #rows: Record<DocumentId, Document>;

  constructor(deps: DocumentDeps) {
    const openApi = new Map<string, string>();
    let asyncApi: string | undefined;
    this.#rows = {
      getHealth: (exchange) => sendJson(exchange, 200, { ok: true, status: 'ok', version: deps.version }),
      getReadiness: (exchange) => sendReadiness(exchange, deps.readiness()),
      getVersion: (exchange) =>
        sendJson(
          exchange,
          200,
          { object: 'version', version: deps.version, protocol_version: versionFor(exchange, deps).id },
          BY_VERSION,
        ),
      getOpenApiDocument: async (exchange) => {
        const version = versionFor(exchange, deps);
        // Made of every schema, which takes a tenth of a start: with the first request for it.
        const key = `${version.id} ${JSON.stringify(deps.resource.issuers)}`;
        const text =
          openApi.get(key) ??
          JSON.stringify(openApiDocument(deps.version, await loadExamples(), version, deps.resource));
        // A reload may name other issuers; what was described before is of no use then.
        if (!openApi.has(key) && openApi.size >= SUPPORTED_VERSIONS.length) openApi.clear();
        openApi.set(key, text);
        sendTagged(exchange, text, BY_VERSION);
      },
      getAsyncApiDocument: (exchange) => {
        asyncApi ??= JSON.stringify(asyncApiDocument(deps.version, deps.publicUrl()));
        sendTagged(exchange, asyncApi, []);
      },
      getProtocolDiscovery: (exchange) =>
        sendJson(exchange, 200, discoveryIn(versionFor(exchange, deps)), BY_VERSION),
      getAgentCard: (exchange) => sendHarnCard(exchange, deps),
      getDefaultA2aCard: (exchange) => sendA2aCard(exchange, undefined, deps),
      getA2aCardOfA2aPath: (exchange) => sendA2aCard(exchange, undefined, deps),
      getKeySet: (exchange) => sendTagged(exchange, JSON.stringify(deps.keySet()), KEY_SET_AGE),
      getProtectedResource: (exchange) => sendResource(exchange, deps, ''),
      getProtectedResourceOfMcp: (exchange) => sendResource(exchange, deps, '/mcp'),
      getA2aCardOfAgent: (exchange, path) => sendA2aCard(exchange, path['agent_id'] ?? '', deps),
    };
  }

  async answer(
    id: DocumentId,
    exchange: Exchange,
    path: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    refuseKey(askedVersion(exchange), exchange.req.headers['idempotency-key']);
    await this.#rows[id](exchange, path);
  }
}

/** What depends on the version that the reader names. */
const BY_VERSION = ['Vary', VERSION_HEADER] as const;
const VERSION_HEADER_NAME = VERSION_HEADER.toLowerCase();

/** The version named by the reader; one that is not spoken here is refused with the first call, and not in a public document. */
function askedVersion({ req }: Exchange): ProtocolVersion | undefined {
  const asked = req.headers[VERSION_HEADER_NAME];
  return typeof asked === 'string' ? VERSIONS.get(asked) : undefined;
}

function versionFor(exchange: Exchange, { defaultVersion }: DocumentDeps): ProtocolVersion {
  return askedVersion(exchange) ?? defaultVersion;
}

function discoveryIn(version: ProtocolVersion): object {
  return {
    object: 'protocol_discovery',
    protocol_family: PROTOCOL_FAMILY,
    current_version: version.id,
    supported_versions: SUPPORTED_VERSIONS,
    capabilities: { rest: true, sse: true, websocket: true, receipts: true, replay: true },
  };
}

function sendReadiness(exchange: Exchange, readiness: Readiness): void {
  if (readiness.ok) sendJson(exchange, 200, readiness);
  else sendJson(exchange, 503, readiness, ['Retry-After', RETRY_READY_SECONDS]);
}

function sendResource(exchange: Exchange, { resource, publicUrl }: DocumentDeps, path: string): void {
  sendTagged(exchange, JSON.stringify(protectedResource(resource, publicUrl() + path)), RESOURCE_AGE);
}

/** Clients of the first version read `agent_card`; they are known by the header they send here; see src/cards/README.md. */
function sendHarnCard(exchange: Exchange, deps: DocumentDeps): void {
  const { cards, publicUrl } = deps;
  const version = versionFor(exchange, deps);
  const isNamed = exchange.req.headers[VERSION_HEADER_NAME] !== undefined;
  const card = cards.harn(isNamed ? version.cardObject : 'harn_agent_card', publicUrl(), version.id);
  sendSigned(exchange, card, 'public', VERSION_HEADER);
}

async function sendA2aCard(
  exchange: Exchange,
  agentId: string | undefined,
  deps: DocumentDeps,
): Promise<void> {
  const { cards, publicUrl } = deps;
  const card = cards.a2a(agentId, publicUrl());
  if (card !== undefined) return sendSigned(exchange, card, 'public');
  const ofPersona = await personaCard(exchange, agentId ?? '', deps);
  if (ofPersona === undefined) throw new ProtocolError('resource_not_found', 'No such agent. Check the id.');
  sendSigned(exchange, ofPersona, 'private', 'Authorization');
}

async function personaCard(exchange: Exchange, id: string, { cards, publicUrl, persona }: DocumentDeps) {
  const { requestId, credential, signal } = exchange;
  const caller = () => (credential.authorization === undefined ? undefined : exchange.caller('exempt'));
  const found = await persona(id, { requestId, caller, signal });
  return found && cards.persona(found, publicUrl());
}

/** Sends a card for anybody's cache, or for that of its reader; `vary` is the request header that it depends on. Spec: A2A 1.0, 8.6. */
function sendSigned(
  exchange: Exchange,
  { text, tag, modifiedAt }: SignedDocument<object>,
  caches: 'public' | 'private',
  vary?: string,
): void {
  const headers = [
    ...(vary === undefined ? [] : ['Vary', vary]),
    ...['Cache-Control', `${caches}, max-age=${CARD_AGE_SECONDS}`, 'Last-Modified', modifiedAt],
  ];
  sendUnlessKnown(exchange, { text, tag, modifiedAt }, headers);
}

/** Sends a document with an entity tag; a client that has it gets 304. */
function sendTagged(exchange: Exchange, text: string, headers: readonly string[]): void {
  const tag = `"${createHash('sha256').update(text).digest('base64url')}"`;
  const caching = headers.includes('Cache-Control') ? [] : ['Cache-Control', 'no-cache'];
  sendUnlessKnown(exchange, { text, tag }, [...headers, ...caching]);
}

function sendUnlessKnown(
  exchange: Exchange,
  document: { text: string; tag: string; modifiedAt?: string },
  headers: readonly string[],
): void {
  const all = [...headers, 'ETag', document.tag];
  if (isKnown(exchange.req.headers, document)) sendEmpty(exchange, 304, all);
  else send(exchange, 200, JSON_TYPE, document.text, all);
}

/** The time counts only for a client that names no tag. Spec: RFC 9110, 13.2.2. */
function isKnown(
  { 'if-none-match': tags, 'if-modified-since': since }: IncomingHttpHeaders,
  { tag, modifiedAt }: { tag: string; modifiedAt?: string },
): boolean {
  if (tags !== undefined) return tags.split(',').some((entry) => entry.trim().replace(/^W\//, '') === tag);
  if (since === undefined || modifiedAt === undefined) return false;
  return Date.parse(since) >= Date.parse(modifiedAt);
}
