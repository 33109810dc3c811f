import { A2A_CONTENT_TYPE, A2A_PROTOCOL_VERSION, A2A_VERSION_HEADER } from '@a2a-js/sdk';
import { type A2aOperation, OPERATIONS } from '../../../mappings/a2a/operations.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import type { Target } from './interfaces.ts';

/** What to ask of an agent: a message to send, or a task to look at. */
export type Ask =
  | { operation: 'SendMessage' | 'SendStreamingMessage'; message: JsonObject }
  | { operation: 'GetTask' | 'CancelTask' | 'SubscribeToTask'; taskId: string };

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
  const params = 'message' in ask ? sendParams(ask.message, ask.operation, isLegacy) : { id: ask.taskId };
  return {
    operation: ask.operation,
    method: 'POST',
    url: target.url,
    headers: headers(row.streams, 'application/json', 'application/json', !isLegacy),
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
  const body = 'message' in ask ? sendParams(ask.message, ask.operation, false) : {};
  return {
    operation: ask.operation,
    method: row.rest.method,
    url,
    headers: headers(row.streams, A2A_CONTENT_TYPE, `${A2A_CONTENT_TYPE}, application/json`, true),
    ...(row.rest.method === 'POST' && { body: JSON.stringify(body) }),
    streams: row.streams,
  };
}

/** A blocking send says so in 0.3; in 1.0 blocking is the default. */
function sendParams(message: JsonObject, operation: Ask['operation'], isLegacy: boolean): JsonObject {
  const isBlockingLegacy = isLegacy && operation === 'SendMessage';
  return { message, ...(isBlockingLegacy && { configuration: { blocking: true } }) };
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
