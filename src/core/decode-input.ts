import type { z } from 'zod';
import type { Call } from '#gateway.ts';
import { ProtocolError, shownName } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { OperationRow, RawBody, SpooledBody } from '#resources/operations.ts';
import { wordsOf } from './words-of-fault.ts';

/** A call that fits the schemas of its operation. */
export interface DecodedInput {
  path: Record<string, string>;
  query: Record<string, unknown>;
  body: unknown;
}

/** Faults listed in the details of one refusal. */
const MAX_LISTED = 20;

/** Checks a call against the schemas of its operation; all faults at once, each with its path. */
export function decodeInput(row: OperationRow, call: Pick<Call, 'path' | 'query' | 'body'>): DecodedInput {
  const query = row.query ? check(row.query, call.query, 'query') : {};
  return { path: call.path, query: query as Record<string, unknown>, body: decodeBody(row, call) };
}

function decodeBody(row: OperationRow, { body }: Pick<Call, 'body'>): unknown {
  if (row.body === undefined) return undefined;
  if (row.body === 'bytes' || row.body === 'spooled') {
    if (row.body === 'bytes' ? isRawBody(body) : isSpooledBody(body)) return body;
    throw new ProtocolError('invalid_request', 'Send the content as the request body.', { param: 'body' });
  }
  if (body !== undefined) return check(row.body, body, 'body');
  if (row.bodyRequired === false) return undefined;
  throw new ProtocolError('invalid_request', 'Send a JSON body with Content-Type: application/json.', {
    param: 'body',
  });
}

export function isRawBody(body: Call['body']): body is RawBody {
  return typeof body === 'object' && body !== null && 'bytes' in body && Buffer.isBuffer(body.bytes);
}

export function isSpooledBody(body: Call['body']): body is SpooledBody {
  return typeof body === 'object' && body !== null && 'spooled' in body && isSource(body.spooled);
}

function isSource(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'read' in value && typeof value.read === 'function';
}

function check(schema: z.ZodType, value: unknown, where: 'query' | 'body'): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.slice(0, MAX_LISTED).map((issue) => ({
    param: pathOf(issue.path) || where,
    message: wordsOf(issue),
  }));
  const first = faults[0] ?? { param: where, message: 'is invalid' };
  throw new ProtocolError('invalid_request', `${first.param}: ${first.message}.`, {
    param: first.param,
    details: faults.length > 1 ? { faults: faults as unknown as JsonObject[] } : {},
  });
}

/** `parts[0].text`: the spelling of JSON paths in errors. */
export function pathOf(path: readonly PropertyKey[]): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += `${text === '' ? '' : '.'}${shownName(String(step))}`;
  }
  return text;
}
