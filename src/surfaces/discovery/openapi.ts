import type { JsonObject, JsonValue } from '#protocol/json.ts';
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
import { exampleOf, exampleOfSchema } from './openapi-examples.ts';
import { type OperationSchemas, operationSchemas } from './openapi-schemas.ts';

const ERROR = { $ref: '#/components/responses/Error' };
const JSON_MEDIA = 'application/json';

/** OpenAPI 3.1 document of every row of the operations table, as it is in one version of the protocol. */
export function openApiDocument(
  gatewayVersion: string,
  examples: Examples,
  version: ProtocolVersion = versionOf(DEFAULT_VERSION),
): JsonObject {
  const { schemas, byOperation } = operationSchemas();
  narrowToVersion(version, schemas, byOperation);
  const paths: Record<string, JsonObject> = {};
  for (const id of Object.keys(OPERATIONS) as OperationId[]) {
    const row = operation(id);
    paths[row.path] = {
      ...paths[row.path],
      [row.method.toLowerCase()]: describe(id, row, byOperation[id], { version, examples }),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Harn gateway',
      version: version.id,
      summary: 'Harn Agents Protocol v1 over REST, SSE and WebSocket.',
      description: CHOOSING,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      'x-harn-gateway-version': gatewayVersion,
    },
    servers: [{ url: '/' }],
    security: [{ bearerAuth: [] }],
    tags: [...new Set(Object.values(OPERATIONS).map((row) => row.tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas,
      parameters: parametersIn(version),
      headers: HEADERS,
      responses: { Error: ERROR_RESPONSE },
      securitySchemes: {
        bearerAuth: { type: 'http', scheme: 'bearer', description: 'An API key of this gateway.' },
      },
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

function describe(
  id: OperationId,
  row: OperationRow,
  schemas: OperationSchemas,
  { version, examples }: { version: ProtocolVersion; examples: Examples },
): JsonObject {
  return {
    tags: [row.tag],
    operationId: id,
    summary: row.summary,
    'x-harn-level': row.level,
    'x-harn-scope': row.scope,
    ...(isKeyless(row) ? { security: [] } : {}),
    parameters: parametersOf(row, schemas, version),
    ...requestOf(id, row, schemas, examples),
    responses: responsesOf(id, row, schemas, { version, examples }),
  };
}

/** Neither key nor version header: it is open to all, or signed by its sender. */
function isKeyless({ scope }: OperationRow): boolean {
  return scope === 'public' || scope === 'signature';
}

function parametersOf(
  row: OperationRow,
  { query }: OperationSchemas,
  { idempotency }: ProtocolVersion,
): JsonValue[] {
  const parameters: JsonValue[] = [];
  if (!isKeyless(row)) parameters.push({ $ref: '#/components/parameters/ProtocolVersion' });
  for (const [, name = ''] of row.path.matchAll(/\{(\w+)\}/g)) {
    parameters.push({ name, in: 'path', required: true, schema: { type: 'string' } });
  }
  for (const [name, schema] of Object.entries((query?.['properties'] ?? {}) as JsonObject)) {
    parameters.push({ name, in: 'query', required: false, schema });
  }
  const takesKey = idempotency === 'commands' ? row.kind === 'command' : row.createsTask === true;
  if (takesKey) parameters.push({ $ref: '#/components/parameters/IdempotencyKey' });
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
  { version: { idempotency }, examples }: { version: ProtocolVersion; examples: Examples },
): JsonObject {
  if (row.kind === 'socket') return { [String(row.success)]: SOCKET_OPEN, default: ERROR };
  const success = {
    description: row.summary,
    headers: { 'X-Request-Id': REQUEST_ID },
    ...contentOf(id, row, response, examples),
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
  const conflict = row.mayConflict === true ? { '409': ERROR } : {};
  return { [String(row.success)]: success, ...retried, ...unready, ...conflict, default: ERROR };
}

/** OpenAPI has no place for frames of a socket, so the description names their schemas. */
const SOCKET_OPEN: JsonObject = {
  description:
    'The WebSocket is open. Text messages are JSON: the client sends #/components/schemas/WsClientFrame, the gateway ' +
    'sends #/components/schemas/WsServerFrame. Browsers offer the subprotocol of their version, harn.v1 or ' +
    'harn.v1.2026-10-11, and harn.bearer.<token>.',
};

const EVENT_STREAM = {
  'text/event-stream': {
    schema: { type: 'string', description: 'Frames with id, event and data (an Event).' },
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
    ...PARAMETERS,
  };
}

const PARAMETERS: JsonObject = {
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
