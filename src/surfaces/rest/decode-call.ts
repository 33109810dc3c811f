import type { IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import { z } from 'zod';
import type { AdmittedCaller, Call, CallHead, Gateway } from '#gateway.ts';
import type { JsonReader } from '#json/json-reader.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { VERSION_HEADER } from '#protocol/versions.ts';
import type { OperationRow, RawBody, SpooledBody } from '#resources/operations.ts';
import { declaresBody, readJson, readRaw } from '#surfaces/http/exchange.ts';
import type { Exchange } from '../http/exchange.ts';
import type { HttpLimits } from '../http/limits.ts';
import { refuseBody } from '../http/request-checks.ts';

const VERSION_HEADER_NAME = VERSION_HEADER.toLowerCase();

/** How the requests of one operation are decoded; made once from its row. */
export interface CallShape {
  body: 'none' | 'json' | 'bytes' | 'spooled';
  singleParams: ReadonlySet<string>;
  /** Largest JSON body, where it is less than that of all. */
  maxBodyBytes: number;
  /** Signed by its sender: headers come along, and the body is bounded like JSON. */
  isSigned: boolean;
}

export function callShape(row: OperationRow): CallShape {
  const params = Object.entries(row.query?.shape ?? {});
  return {
    isSigned: row.scope === 'signature',
    body: bodyOf(row),
    maxBodyBytes: row.maxBodyBytes ?? Number.POSITIVE_INFINITY,
    singleParams: new Set(
      params.filter(([, schema]) => !(schema instanceof z.ZodArray)).map(([name]) => name),
    ),
  };
}

function bodyOf({ body, method }: OperationRow): CallShape['body'] {
  if (typeof body === 'string') return body;
  return method === 'GET' || method === 'DELETE' ? 'none' : 'json';
}

/** Reads the bodies that are too large to be held. */
export type SpoolReader = () => Promise<SpooledBody>;

/** What calls are decoded with. */
export interface DecodeDeps {
  gateway: Pick<Gateway, 'enterSigned'>;
  limits: HttpLimits;
  json: Pick<JsonReader, 'read'>;
}

/** Decodes an HTTP request into a Call. Everything but syntax is checked behind the gateway port. */
export async function decodeCall(
  exchange: Exchange,
  path: Record<string, string>,
  shape: CallShape,
  deps: DecodeDeps,
  admit: (head: CallHead) => void,
  spooled?: SpoolReader,
): Promise<Call> {
  const { headers, url = '' } = exchange.req;
  const caller = shape.isSigned ? undefined : exchange.caller(single(headers[VERSION_HEADER_NAME]));
  const query = decodeQuery(url, shape.singleParams);
  const signed = shape.isSigned ? await readSigned(exchange, deps.limits) : undefined;
  const head: CallHead = {
    requestId: exchange.requestId,
    caller: caller ?? enterSigned(exchange, deps, { path, body: signed }),
    path,
    query,
    idempotencyKey: single(headers['idempotency-key']),
    lastEventId: single(headers['last-event-id']),
    accept: headers.accept,
    traceparent: single(headers['traceparent']),
    request: exchange.trace,
    get signal() {
      return exchange.signal;
    },
  };
  // Defined on the same object: spreading it would make the lazy signal.
  const call = head as Call;
  call.body = signed ?? (await decodeBody(exchange, shape, deps, () => admit(head), spooled));
  return call;
}

function enterSigned(
  exchange: Exchange,
  { gateway }: DecodeDeps,
  delivery: Pick<Call, 'path' | 'body'>,
): AdmittedCaller {
  const caller = gateway.enterSigned(delivery);
  if (exchange.deps.metering.meter !== undefined) exchange.count(caller);
  return caller;
}

/** A body is read only for callers who may use the operation. */
async function decodeBody(
  exchange: Exchange,
  shape: CallShape,
  { limits, json }: DecodeDeps,
  admit: () => void,
  spooled?: SpoolReader,
): Promise<Call['body']> {
  if (shape.body === 'none') {
    if (declaresBody(exchange.req)) throw refuseBody();
    return undefined;
  }
  admit();
  if (shape.body === 'bytes') return await readRaw(exchange, limits.maxArtifactBytes);
  if (shape.body === 'spooled') return await spooled?.();
  const isLess = shape.maxBodyBytes < limits.maxBodyBytes;
  return await readJson(exchange, isLess ? { ...limits, maxBodyBytes: shape.maxBodyBytes } : limits, json);
}

/** A signature covers the body, so nobody is known before it is read; it is bounded like JSON. */
async function readSigned(exchange: Exchange, { maxBodyBytes }: HttpLimits): Promise<RawBody> {
  return { ...(await readRaw(exchange, maxBodyBytes)), headers: plainHeaders(exchange.req) };
}

function plainHeaders({ headers }: IncomingMessage): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name, single(value) ?? ''] as const);
  return Object.fromEntries(entries);
}

function single(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}

export type Query = Record<string, string | string[]>;

const NONE: Query = Object.freeze({});

/**
 * Decodes the query of a target. `single` names the parameters that have one value; a second one is refused, because
 * readers disagree on which of the two counts.
 */
export function decodeQuery(target: string, single: ReadonlySet<string>): Query {
  const at = target.indexOf('?');
  if (at < 0 || at === target.length - 1) return NONE;
  const query = parse(target.slice(at + 1)) as Query;
  for (const name in query) {
    if (typeof query[name] === 'string' || !single.has(name)) continue;
    throw new ProtocolError('invalid_request', `Send the parameter ${name} once.`, { param: name });
  }
  return query;
}
