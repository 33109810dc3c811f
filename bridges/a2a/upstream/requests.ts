import { A2A_CONTENT_TYPE, A2A_PROTOCOL_VERSION, A2A_VERSION_HEADER } from '@a2a-js/sdk';
import { type A2aOperation, OPERATIONS } from '../../../mappings/a2a/operations.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import type { Target } from './interfaces.ts';

/** What to ask of an agent: a message to send, or a task to look at. */
export type Ask =
  | { operation: 'SendMessage' | 'SendStreamingMessage'; message: JsonObject; beside?: Beside }
  | { operation: 'GetTask' | 'CancelTask' | 'SubscribeToTask'; taskId: string };

/** What a client of ours sent beside its message. */
export interface Beside {
  metadata?: JsonObject;
  acceptedOutputModes?: string[];
  /** URIs of the extensions it asked for. */
  extensions?: string[];
}

export interface WireRequest {
  operation: A2aOperation;
  method: 'GET' | 'POST';
  url: URL;
  headers: Record<string, string>;
  body?: string;
  /** Absent over HTTP+JSON. */
  requestId?: string;
  streams: boolean;
}

/** The request of an ask on this interface. `requestId` is used where the binding has one. */
export function encodeAsk(ask: Ask, target: Target, requestId: string): WireRequest {
  return target.protocol === 'http+json-1.0' ? restRequest(ask, target) : rpcRequest(ask, target, requestId);
}

function rpcRequest(ask: Ask, target: Target, requestId: string): WireRequest {
  const row = OPERATIONS[ask.operation];
  const isLegacy = target.protocol === 'jsonrpc-0.3';
  const method = isLegacy ? row.legacyMethod : ask.operation;
  const params = 'message' in ask ? sendParams(ask, isLegacy) : { id: ask.taskId };
  return {
    operation: ask.operation,
    method: 'POST',
    url: target.url,
    headers: {
      ...headers(row.streams, 'application/json', 'application/json', !isLegacy),
      ...extensionsHeader(ask, isLegacy),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: requestId, method, params: { ...params, ...tenant(target) } }),
    requestId,
    streams: row.streams,
  };
}

function restRequest(ask: Ask, target: Target): WireRequest {
  const row = OPERATIONS[ask.operation];
  const path =
    'taskId' in ask ? row.rest.path.replace('{id}', encodeURIComponent(ask.taskId)) : row.rest.path;
  const prefix = target.tenant === undefined ? '' : `/${encodeURIComponent(target.tenant)}`;
  const url = new URL(target.url);
  url.pathname = url.pathname.replace(/\/$/, '') + prefix + path;
  const body = 'message' in ask ? sendParams(ask, false) : {};
  return {
    operation: ask.operation,
    method: row.rest.method,
    url,
    headers: {
      ...headers(row.streams, A2A_CONTENT_TYPE, `${A2A_CONTENT_TYPE}, application/json`, true),
      ...extensionsHeader(ask, false),
    },
    ...(row.rest.method === 'POST' && { body: JSON.stringify(body) }),
    streams: row.streams,
  };
}

/** What is not streamed is answered at once, so that its task is known while it works. Blocking is the default of both versions. */
function sendParams(
  { message, operation, beside }: Extract<Ask, { message: JsonObject }>,
  isLegacy: boolean,
): JsonObject {
  const configuration: JsonObject = {
    ...(operation === 'SendMessage' && (isLegacy ? { blocking: false } : { returnImmediately: true })),
    ...(beside?.acceptedOutputModes !== undefined && { acceptedOutputModes: beside.acceptedOutputModes }),
  };
  return {
    message,
    ...(Object.keys(configuration).length > 0 && { configuration }),
    ...(beside?.metadata !== undefined && { metadata: beside.metadata }),
  };
}

function extensionsHeader(ask: Ask, isLegacy: boolean): Record<string, string> {
  const extensions = 'message' in ask ? (ask.beside?.extensions ?? []) : [];
  if (extensions.length === 0) return {};
  return { [isLegacy ? 'x-a2a-extensions' : 'a2a-extensions']: extensions.join(', ') };
}

function tenant(target: Target): JsonObject {
  return target.tenant === undefined ? {} : { tenant: target.tenant };
}

function headers(
  streams: boolean,
  contentType: string,
  accept: string,
  isCurrent: boolean,
): Record<string, string> {
  return {
    'content-type': contentType,
    accept: streams ? `text/event-stream, ${accept}` : accept,
    // Sizes are counted on what arrives, so nothing may arrive compressed.
    'accept-encoding': 'identity',
    ...(isCurrent && { [A2A_VERSION_HEADER.toLowerCase()]: A2A_PROTOCOL_VERSION }),
  };
}
