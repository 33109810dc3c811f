import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { EVENT_OF_STATUS, TASK_TRANSITIONS } from '#protocol/task-states.ts';
import {
  DEFAULT_VERSION,
  type ProtocolVersion,
  SUPPORTED_VERSIONS,
  VERSION_HEADER,
  versionOf,
} from '#protocol/versions.ts';
import { OPERATIONS, type OperationId, type OperationRow, operation } from '#resources/operations.ts';
import { RECEIPT_JSON_TYPE } from '#resources/receipt/schema.ts';
import type { Examples } from '#resources/room.ts';
import { refusalResponses, refusalsOf } from './openapi-errors.ts';
import { exampleOf, exampleOfSchema } from './openapi-examples.ts';
import { type OperationSchemas, operationSchemas } from './openapi-schemas.ts';
import { MEMBERS, PARAMETERS } from './openapi-words.ts';
import type { ProtectedResourceFacts } from './protected-resource.ts';

const ERROR = { $ref: '#/components/responses/Error' };
const JSON_MEDIA = 'application/json';

/** OpenAPI 3.1 document of every row of the operations table, as it is in one version of the protocol. */
export function openApiDocument(
  gatewayVersion: string,
  examples: Examples,
  version: ProtocolVersion = versionOf(DEFAULT_VERSION),
  access: Access = { issuers: [], dpopAlgorithms: [] },
): JsonObject {
  const { schemas, byOperation } = operationSchemas();
  const schemes = securitySchemes(access);
  const context = { version, examples: inVersion(examples, version), schemes: Object.keys(schemes) };
  narrowToVersion(version, schemas, byOperation);
  const paths: Record<string, JsonObject> = {};
  for (const id of Object.keys(OPERATIONS) as OperationId[]) {
    const row = operation(id);
    paths[row.path] = {
      ...paths[row.path],
      [row.method.toLowerCase()]: describe(id, row, byOperation[id], context),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Harn gateway',
      version: version.id,
      summary: 'Harn Agents Protocol v1 over REST, SSE and WebSocket.',
      description: `${CHOOSING}\n\n${ABOUT}`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      'x-harn-gateway-version': gatewayVersion,
    },
    servers: [{ url: '/' }],
    security: Object.keys(schemes).map((name) => ({ [name]: [] })),
    tags: [...new Set(Object.values(OPERATIONS).map((row) => row.tag))].map((name) => ({
      name,
      description: TAGS[name] ?? `${name} of the gateway.`,
    })),
    paths,
    components: {
      schemas,
      parameters: parametersIn(version),
      headers: HEADERS,
      responses: { Error: ERROR_RESPONSE, ...REFUSALS },
      securitySchemes: schemes,
    },
  };
}

/** Takes out of freshly made schemas the words that this version does not have. */
function narrowToVersion(
  { id, words, cardObject }: ProtocolVersion,
  schemas: JsonObject,
  byOperation: Record<OperationId, OperationSchemas>,
): void {
  setWords(schemas['Discovery'], 'current_version', [id]);
  setWords(schemas['HarnAgentCard'], 'object', [...new Set(['harn_agent_card', cardObject])]);
  for (const [operationId, members] of Object.entries(words)) {
    const { body } = byOperation[operationId as OperationId];
    for (const member of members) setWords(schemas[nameOf(body)], member.member, member.words);
  }
}

function setWords(schema: JsonValue | undefined, member: string, words: readonly string[]): void {
  const { properties } = (schema ?? {}) as { properties?: Record<string, JsonObject> };
  const narrowed = properties?.[member];
  if (narrowed === undefined) throw new Error(`no member ${member} to narrow`);
  narrowed['enum'] = [...words];
}

function nameOf(schema: JsonObject | undefined): string {
  return String(schema?.['$ref'] ?? '').replace('#/components/schemas/', '');
}

/** Examples name the version that they are shown in. */
function inVersion(examples: Examples, { id }: ProtocolVersion): Examples {
  const { Discovery } = examples;
  return Discovery === undefined
    ? examples
    : { ...examples, Discovery: { ...(Discovery as JsonObject), current_version: id } };
}

/** Whose access tokens are taken besides API keys. */
export type Access = Pick<ProtectedResourceFacts, 'issuers' | 'dpopAlgorithms'>;

interface Context {
  version: ProtocolVersion;
  examples: Examples;
  /** Names of the ways to authenticate. */
  schemes: readonly string[];
}

function securitySchemes({ issuers, dpopAlgorithms }: Access): JsonObject {
  const bound =
    dpopAlgorithms.length === 0
      ? ''
      : ` Tokens may be bound to a key by DPoP (${dpopAlgorithms.join(', ')}).`;
  return {
    bearerAuth: { type: 'http', scheme: 'bearer', description: 'An API key of this gateway.' },
    ...Object.fromEntries(
      issuers.map(({ issuer, audience }, at) => [
        `issuer${at + 1}`,
        {
          type: 'openIdConnect',
          openIdConnectUrl: `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
          description: `An access token (RFC 9068) of ${issuer} for ${audience.join(' or ')}.${bound}`,
        },
      ]),
    ),
  };
}

function describe(
  id: OperationId,
  row: OperationRow,
  schemas: OperationSchemas,
  context: Context,
): JsonObject {
  const { version, examples, schemes } = context;
  return {
    tags: [row.tag],
    operationId: id,
    summary: row.summary,
    description: inWords(id, row, version),
    'x-harn-level': row.level,
    'x-harn-scope': row.scope,
    security: isKeyless(row) ? [] : schemes.map((name) => ({ [name]: [] })),
    parameters: parametersOf(row, schemas, version),
    ...requestOf(id, row, schemas, examples),
    responses: responsesOf(id, row, schemas, context),
  };
}

/** What a client has to know of an operation besides its shapes. */
function inWords(id: OperationId, row: OperationRow, version: ProtocolVersion): string {
  return [
    NOTES[id] ?? row.summary,
    row.scope === 'public' ? 'Open to all.' : '',
    row.scope === 'signature' ? 'Signed by its sender: it needs neither a key nor the version header.' : '',
    row.scope === 'any' ? 'Needs a credential, and no scope.' : '',
    isKeyless(row) || row.scope === 'any' ? '' : `Needs the scope \`${row.scope}\`.`,
    takesKey(row, version) ? 'Takes an Idempotency-Key.' : '',
    row.variesByVersion === true ? 'What it takes or answers depends on the version of the protocol.' : '',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

function takesKey(row: OperationRow, { idempotency }: ProtocolVersion): boolean {
  return idempotency === 'commands' ? row.kind === 'command' : row.createsTask === true;
}

/** Neither key nor version header: it is open to all, or signed by its sender. */
function isKeyless({ scope }: OperationRow): boolean {
  return scope === 'public' || scope === 'signature';
}

function parametersOf(row: OperationRow, { query }: OperationSchemas, version: ProtocolVersion): JsonValue[] {
  const parameters: JsonValue[] = [];
  if (!isKeyless(row)) parameters.push({ $ref: '#/components/parameters/ProtocolVersion' });
  for (const [, name = ''] of row.path.matchAll(/\{(\w+)\}/g)) {
    const description = PARAMETERS[name] ?? MEMBERS[name] ?? '';
    parameters.push({ name, in: 'path', required: true, description, schema: { type: 'string' } });
  }
  // What is read of digits has no type on its way in, so the shape itself says what it does not do without.
  const demanded = row.query?.safeParse({}).error?.issues.map(({ path: [name] }) => name) ?? [];
  for (const [name, given] of Object.entries((query?.['properties'] ?? {}) as JsonObject)) {
    const { description: own, ...schema } = given as JsonObject;
    const isGeneral = own === undefined || own === MEMBERS[name];
    const description = (isGeneral ? PARAMETERS[`query ${name}`] : undefined) ?? own ?? '';
    parameters.push({ name, in: 'query', required: demanded.includes(name), description, schema });
  }
  if (takesKey(row, version)) parameters.push({ $ref: '#/components/parameters/IdempotencyKey' });
  if (row.kind === 'stream') parameters.push({ $ref: '#/components/parameters/LastEventId' });
  return parameters;
}

function requestOf(
  id: OperationId,
  row: OperationRow,
  schemas: OperationSchemas,
  examples: Examples,
): JsonObject {
  if (row.body === undefined) return {};
  const required = row.bodyRequired !== false;
  if (schemas.body === undefined) return { requestBody: { required, content: binary('*/*') } };
  const example = exampleOf(examples, id, 'request', schemas.body);
  return { requestBody: { required, content: { [JSON_MEDIA]: media(schemas.body, example) } } };
}

function responsesOf(
  id: OperationId,
  row: OperationRow,
  { response }: OperationSchemas,
  { version: { idempotency }, examples }: Context,
): JsonObject {
  const refusals = refusalsOf(row);
  if (row.kind === 'socket') return { [String(row.success)]: SOCKET_OPEN, ...refusals, default: ERROR };
  const success = {
    description: row.summary,
    headers: { 'X-Request-Id': REQUEST_ID },
    ...contentOf(id, row, response, examples),
    ...linksOf(response),
  };
  const unready =
    id === 'getReadiness' ? { '503': { ...success, description: 'Not ready; details say why.' } } : {};
  const retried =
    row.createsTask === true && idempotency === 'task_create'
      ? {
          '200': {
            ...success,
            description: 'A retry with the same Idempotency-Key: the Task that is there.',
          },
        }
      : {};
  const known =
    row.kind === 'document' ? { '304': { description: 'The reader has it: `If-None-Match`.' } } : {};
  return { [String(row.success)]: success, ...retried, ...known, ...refusals, ...unready, default: ERROR };
}

/** Where to go with the id of what was answered. */
function linksOf(response: JsonObject | undefined): JsonObject {
  const name = nameOf(response);
  const param = `${LINKED[name] ?? name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()}_id`;
  const links = (Object.keys(OPERATIONS) as OperationId[]).flatMap((id) => {
    const { path, summary } = operation(id);
    const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, each]) => each);
    if (params.length !== 1 || params[0] !== param || !path.startsWith('/v1/')) return [];
    return [[id, { operationId: id, description: summary, parameters: { [param]: '$response.body#/id' } }]];
  });
  return links.length === 0 ? {} : { links: Object.fromEntries(links) };
}

/** Parameters that are not called like the shape. */
const LINKED: Readonly<Record<string, string>> = {
  PermissionRequest: 'request',
  RememberRule: 'rule',
  MadeRule: 'rule',
  ApiKey: 'key',
  IssuedApiKey: 'key',
  PlacedHalt: 'halt',
};

/** OpenAPI has no place for frames of a socket, so the description names their schemas. */
const SOCKET_OPEN: JsonObject = {
  description:
    'The WebSocket is open. Text messages are JSON: the client sends #/components/schemas/WsClientFrame, the gateway ' +
    'sends #/components/schemas/WsServerFrame. Browsers offer the subprotocol of their version, harn.v1 or ' +
    'harn.v1.2026-10-11, and harn.bearer.<token>.',
};

const EVENT_STREAM = {
  'text/event-stream': {
    schema: {
      type: 'string',
      description:
        'Frames with id, event and data: `#/components/schemas/Event` as JSON, whose payload is that of its kind in EventPayloads. See GET /asyncapi.json.',
    },
  },
};

function contentOf(
  id: OperationId,
  row: OperationRow,
  schema: JsonObject | undefined,
  examples: Examples,
): JsonObject {
  if (row.response === 'none') return {};
  if (row.response === 'event-stream') return { content: EVENT_STREAM };
  if (schema === undefined) return { content: binary('*/*') };
  const others = (row.alternatives ?? []).map((type) => [type, alternative(type)]);
  return {
    content: {
      [JSON_MEDIA]: media(schema, exampleOf(examples, id, 'response', schema)),
      ...Object.fromEntries(others),
    },
  };
}

/** Another form of the same answer; CBOR has no schema of its own. */
function alternative(type: string): JsonObject {
  return type === RECEIPT_JSON_TYPE
    ? { schema: { $ref: '#/components/schemas/ReceiptPayload' } }
    : { schema: { type: 'string', format: 'binary' } };
}

function media(schema: JsonObject, example: JsonValue | undefined): JsonObject {
  return example === undefined ? { schema } : { schema, example };
}

function binary(type: string): JsonObject {
  return { [type]: { schema: { type: 'string', format: 'binary' } } };
}

const REQUEST_ID = { $ref: '#/components/headers/RequestId' };
const REFUSALS = refusalResponses(
  { 'X-Request-Id': REQUEST_ID, 'Retry-After': { $ref: '#/components/headers/RetryAfter' } },
  (schema) => media(schema, undefined),
);

const MOVES = Object.entries(TASK_TRANSITIONS)
  .map(([from, to]) => `${from} → ${to.join(', ') || 'nothing: it has ended'}`)
  .join('; ');
const ROUTING =
  'The Task runs on the agent that `metadata.route` names, as `a2a:<id>`, `acp:<id>`, `mcp:<id>` (the tool is named in the input) or `skill:<skill_id>`; else on the `entry_workflow` of its Persona where that is a route, on `metadata.route` of its Session, on `routing.default` of the configuration, on the first agent. A route that does not exist is refused. `listAgents` has the routes.';
const MACHINE = `A Task moves: ${MOVES}. Each move is one Event: ${Object.values(EVENT_OF_STATUS).join(', ')}, and back to WORKING \`task.status_changed\`.`;

const ABOUT = `Every refusal has one envelope (ErrorResponse); \`code\` is of a closed list, and \`message\` says what to do next. Lists come in pages: give \`next_cursor\` as \`cursor\`. ${MACHINE} ${ROUTING} The kinds of Events are the members of the schema EventPayloads, and /asyncapi.json describes the streams.`;

/** What an operation needs said besides its summary. */
const NOTES: Readonly<Partial<Record<OperationId, string>>> = {
  submitTask: `Submit a Task, in a Session that is named or made for it. ${ROUTING} It answers when the Task is accepted and on disk; follow its stream for what comes of it.`,
  submitSessionTask: `Submit a Task to a Session. ${ROUTING} Tasks of a Session run one after the other, in their order.`,
  getTask: `Read a Task. ${MACHINE}`,
  appendTaskMessage:
    'Say something to a Task: `input` answers what it asked for. A Task that asks for nothing refuses it with 400, and one that has ended with 409.',
  cancelTask:
    'Cancel a Task. The agent is asked to stop, and after CANCELED nothing of it is taken any more. One that is CANCELED already is answered as it is; one that has ended otherwise with 409.',
  respondPermissionRequest:
    'Answer what waits for a person, whichever protocol asked. The first answer holds; a later one is refused with 409.',
};

const TAGS: Readonly<Record<string, string>> = {
  Tasks: `Work of agents. ${MACHINE}`,
  Sessions: 'Conversations: their Tasks, Messages, clients and inputs.',
  Events: 'Everything that happened, in order; as ranges, and as streams that go on after a cut.',
  Permissions: 'What waits for a person, the rules that answer for one, and what was decided.',
  Receipts: 'Signed proofs of what Tasks did, chained by Session.',
  'Receipt log': 'The tree over all Receipts, with proofs that one is in it and that it only grew.',
  Discovery: 'Documents in which the gateway describes itself; open to all.',
  Push: 'Webhooks of Tasks, and the deliveries that were given up.',
  Runtime: 'Whether the gateway runs, which version, and what it can do.',
  Administration: 'For operators: keys, policies, configuration.',
};

const CHOOSING = `The gateway speaks ${SUPPORTED_VERSIONS.join(' and ')}. Each request chooses by the header ${VERSION_HEADER}, without which it is refused with 426; a WebSocket of a browser chooses by its subprotocol. This document describes one of them: GET /openapi.json with the header describes the version that it names. Clients of both share all resources and Events.`;

/** What a retry with the same Idempotency-Key gets. */
const RETRIES = {
  commands: 'Chosen by the client; a retry with the same key and body gets the first answer again.',
  task_create:
    'Chosen by the client; a retry with the same key and body gets the Task that is there. The two operations that create a Task take it and are one target; everywhere else it is refused with 400.',
} as const satisfies Record<ProtocolVersion['idempotency'], string>;

function parametersIn({ id, idempotency }: ProtocolVersion): JsonObject {
  return {
    ProtocolVersion: {
      name: VERSION_HEADER,
      in: 'header',
      required: true,
      description: 'Date-stamped protocol version.',
      schema: { type: 'string', enum: [id] },
    },
    IdempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description: RETRIES[idempotency],
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    },
    ...HEADER_PARAMETERS,
  };
}

const HEADER_PARAMETERS: JsonObject = {
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description:
      'Id of the last Event received; the stream goes on after it, or ends with `cursor_expired` in one `error` event. Without it history comes first; `vendor.harn_gateway.history_removed` says that its beginning was removed.',
    schema: { type: 'string' },
  },
};
const HEADERS: JsonObject = {
  RequestId: {
    description: 'Id of this request; quote it in reports.',
    schema: { type: 'string', pattern: '^req_' },
  },
  RetryAfter: { description: 'Seconds to wait, with 429 and 503.', schema: { type: 'integer', minimum: 1 } },
};
const ERROR_SCHEMA = { $ref: '#/components/schemas/ErrorResponse' };
const ERROR_RESPONSE: JsonObject = {
  description: 'The error envelope.',
  headers: { 'X-Request-Id': REQUEST_ID, 'Retry-After': { $ref: '#/components/headers/RetryAfter' } },
  content: { [JSON_MEDIA]: media(ERROR_SCHEMA, exampleOfSchema({}, ERROR_SCHEMA)) },
};
