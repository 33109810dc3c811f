import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { SUPPORTED_VERSIONS, VERSION_HEADER, VERSIONS } from '#protocol/versions.ts';
import { errorResponse } from '#resources/discovery/schema.ts';
import { erasedPayload } from '#resources/erasure/schema.ts';
import { event } from '#resources/event/schema.ts';
import { EVENT_PAYLOADS } from '#resources/event-payloads.ts';
import { OPERATIONS, type OperationId, type OperationRow, operation } from '#resources/operations.ts';
import { clientFrame, OPEN_SOCKET, serverFrame, WS_BEARER_PREFIX } from '../ws/frames.ts';
import { componentSchemas } from './openapi-schemas.ts';

const KINDS = Object.keys(EVENT_PAYLOADS);
const STREAM_ERROR = 'stream.error';
/** Answers to the frames of a client. */
const REPLIES = ['server.ack', 'server.error'];

const ABOUT = `What the gateway sends without being asked for each: the Events of its streams, and the frames of its WebSocket. Every kind of Event is a message here, and its payload a schema. Events are the same in ${SUPPORTED_VERSIONS.join(' and ')}. Kinds that begin with \`vendor.harn_gateway.\` are no others have; clients pass over kinds that they do not know. Parts that are \`internal\` are replaced by a descriptor for readers without the scope \`internal:read\`.`;

/**
 * AsyncAPI 3 document of every stream and of the WebSocket. `publicUrl`: origin of clients.
 * Spec: AsyncAPI 3.0.0; the bindings of HTTP 0.3.0 and of WebSocket 0.1.0.
 */
export function asyncApiDocument(gatewayVersion: string, publicUrl: string): JsonObject {
  const { schemas, byName } = componentSchemas(
    {
      ...EVENT_PAYLOADS,
      ...streamQueries(),
      event,
      clientFrame,
      serverFrame,
      error: errorResponse,
      erasedPayload,
    },
    'draft-7',
  );
  const frames = [
    ...frameMessages('server', 'WsServerFrame', schemas),
    ...frameMessages('client', 'WsClientFrame', schemas),
  ];
  const socket = Object.fromEntries(frames);
  const socketMessages = (side: string) =>
    frames.map(([name]) => name).filter((name) => name.startsWith(side));
  const streams = streamRows();
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Harn gateway: Events',
      version: gatewayVersion,
      description: ABOUT,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: serversAt(new URL(publicUrl)),
    channels: {
      ...Object.fromEntries(streams.map(([id, row]) => [id, streamChannel(row)])),
      [OPEN_SOCKET]: socketChannel(Object.keys(socket)),
    },
    operations: {
      ...Object.fromEntries(
        streams.map(([id, row]) => [id, streamOperation(id, row, byName[`${id}.query`])]),
      ),
      ...socketOperations(socketMessages),
    },
    components: {
      messages: {
        ...Object.fromEntries(KINDS.map((kind) => [kind, eventMessage(kind)])),
        [STREAM_ERROR]: {
          name: 'error',
          summary: 'The stream ends with this; `cursor_expired` says that Events after the cursor are gone.',
          payload: { $ref: '#/components/schemas/ErrorResponse' },
        },
        ...socket,
      },
      schemas: {
        ...schemas,
        ...Object.fromEntries(KINDS.map((kind) => [payloadName(kind), byName[kind] as JsonValue])),
      },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key or an access token.' },
      },
    },
  };
}

/** Name of the schema of the payload of a kind of Event. */
export function payloadName(kind: string): string {
  return `payload.${kind}`;
}

function streamRows(): [OperationId, OperationRow][] {
  return (Object.keys(OPERATIONS) as OperationId[])
    .map((id): [OperationId, OperationRow] => [id, operation(id)])
    .filter(([, { kind }]) => kind === 'stream');
}

function streamQueries() {
  return Object.fromEntries(
    streamRows().flatMap(([id, { query }]) => (query === undefined ? [] : [[`${id}.query`, query] as const])),
  );
}

function serversAt({ host, protocol }: URL): JsonObject {
  const isSecure = protocol === 'https:';
  const security = [{ $ref: '#/components/securitySchemes/bearer' }];
  return {
    http: { host, protocol: isSecure ? 'https' : 'http', description: 'Server-sent events.', security },
    socket: { host, protocol: isSecure ? 'wss' : 'ws', description: 'WebSocket.', security },
  };
}

function eventMessage(kind: string): JsonObject {
  return {
    name: kind,
    payload: {
      allOf: [
        { $ref: '#/components/schemas/Event' },
        {
          type: 'object',
          properties: {
            event: { type: 'string', const: kind },
            payload: {
              anyOf: [
                { $ref: `#/components/schemas/${payloadName(kind)}` },
                // What an erasure left of any kind.
                { $ref: '#/components/schemas/ErasedPayload' },
              ],
            },
          },
        },
      ],
    },
  };
}

function streamChannel({ path, summary }: OperationRow): JsonObject {
  const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return {
    address: path,
    description: `${summary} Frames have \`id\` (that of the Event), \`event\` (its kind) and \`data\` (the Event as JSON). A block with an \`id\` alone is a heartbeat and moves the cursor; \`Last-Event-ID\` resumes after it.`,
    servers: [{ $ref: '#/servers/http' }],
    parameters: Object.fromEntries(
      params.map((name) => [name, { description: `Id of the ${name.replace(/_id$/, '')}.` }]),
    ),
    messages: messageRefs([...KINDS, STREAM_ERROR]),
  };
}

function streamOperation(
  id: OperationId,
  { summary }: OperationRow,
  query: JsonValue | undefined,
): JsonObject {
  return {
    action: 'send',
    channel: { $ref: `#/channels/${id}` },
    summary,
    bindings: { http: { method: 'GET', ...(query === undefined ? {} : { query }), bindingVersion: '0.3.0' } },
  };
}

/** A message for each type of frame of one side of the socket. */
function frameMessages(side: string, union: string, schemas: JsonObject): [string, JsonObject][] {
  const { anyOf, oneOf } = schemas[union] as { anyOf?: JsonObject[]; oneOf?: JsonObject[] };
  return (anyOf ?? oneOf ?? []).map((frame) => {
    const type = typeOf(frame, schemas);
    return [`${side}.${type}`, { name: type, payload: frame }];
  });
}

/** What `type` is in every form of a frame. */
function typeOf(schema: JsonObject, schemas: JsonObject): string {
  const { $ref, anyOf, oneOf, properties } = schema as {
    $ref?: string;
    anyOf?: JsonObject[];
    oneOf?: JsonObject[];
    properties?: { type?: { const?: string } };
  };
  if ($ref !== undefined)
    return typeOf(schemas[$ref.slice($ref.lastIndexOf('/') + 1)] as JsonObject, schemas);
  const [first] = anyOf ?? oneOf ?? [];
  const type = first === undefined ? properties?.type?.const : typeOf(first, schemas);
  if (type === undefined) throw new Error('a frame without a type');
  return type;
}

const socket = operation(OPEN_SOCKET);

function socketChannel(messages: readonly string[]): JsonObject {
  const subprotocols = [...VERSIONS.values()].map(({ subprotocol }) => subprotocol).join(' or ');
  return {
    address: socket.path,
    description: `${socket.summary} Browsers offer the subprotocols ${subprotocols} and ${WS_BEARER_PREFIX}<token>.`,
    servers: [{ $ref: '#/servers/socket' }],
    messages: messageRefs(messages),
    bindings: {
      ws: {
        method: 'GET',
        headers: {
          type: 'object',
          properties: {
            [VERSION_HEADER]: {
              type: 'string',
              enum: [...SUPPORTED_VERSIONS],
              description: 'Version of the protocol; of browsers the subprotocol says it.',
            },
          },
        },
        bindingVersion: '0.1.0',
      },
    },
  };
}

function socketOperations(messages: (side: string) => string[]): JsonObject {
  const channel = { $ref: `#/channels/${OPEN_SOCKET}` };
  const refs = (names: readonly string[]) =>
    names.map((name) => ({ $ref: `${channel.$ref}/messages/${name}` }));
  return {
    receiveFrame: {
      action: 'receive',
      channel,
      summary: 'A client commands or subscribes; ack or error answers with the same id.',
      messages: refs(messages('client.')),
      reply: { channel, messages: refs(REPLIES) },
    },
    sendFrame: {
      action: 'send',
      channel,
      summary: 'The gateway sends Events, questions, heartbeats and ends of subscriptions.',
      messages: refs(messages('server.')),
    },
  };
}

function messageRefs(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }]));
}
