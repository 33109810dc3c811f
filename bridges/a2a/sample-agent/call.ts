import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Extensions } from '@a2a-js/sdk';
import { ServerCallContext, UnauthenticatedUser } from '@a2a-js/sdk/server';

/** Room for a message with a file of some megabytes; more is not the sample's business. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** One HTTP request, read to its end. */
export interface Call {
  readonly method: string;
  /** Without query and without trailing slash; the root is the empty string. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export class BodyTooLarge extends Error {}

/** Reads the request. Throws BodyTooLarge beyond MAX_BODY_BYTES. */
export async function readCall(request: IncomingMessage): Promise<Call> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new BodyTooLarge(`The body is larger than ${MAX_BODY_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return {
    method: request.method ?? 'GET',
    path: url.pathname.replace(/\/+$/, ''),
    query: url.searchParams,
    headers: request.headers,
    body: Buffer.concat(chunks),
  };
}

/** The A2A version as Major.Minor, from the header or the query. Absent or empty means 0.3. Spec: A2A 1.0, 3.6. */
export function requestedVersion(call: Call): string {
  const asked = headerOf(call, 'a2a-version') || call.query.get('A2A-Version') || '0.3';
  return /^\d+\.\d+/.exec(asked)?.[0] ?? asked;
}

export function callContext(call: Call): ServerCallContext {
  return new ServerCallContext({
    user: new UnauthenticatedUser(),
    requestedVersion: requestedVersion(call),
    requestedExtensions: Extensions.parseServiceParameter(headerOf(call, 'a2a-extensions')),
  });
}

/** True for the JSON media types A2A knows, with or without parameters. */
export function isJson(call: Call): boolean {
  const type = (headerOf(call, 'content-type').split(';')[0] ?? '').trim().toLowerCase();
  return type === 'application/json' || type === 'application/a2a+json';
}

function headerOf(call: Call, name: string): string {
  const value = call.headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? '';
}
