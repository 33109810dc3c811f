import { z } from 'zod';
import type { Scope } from './scopes.ts';

/**
 * One row per operation. REST routes, validation, authorization and the OpenAPI document are made from these rows.
 * `command` changes the log, `query` reads, `stream` follows, `document` describes the gateway itself,
 * `socket` opens a WebSocket whose frames are operations of other rows.
 */
export interface OperationRow {
  kind: 'command' | 'query' | 'stream' | 'document' | 'socket';
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Path with `{name}` parameters, from the origin root. */
  path: string;
  tag: string;
  summary: string;
  /**
   * What the caller must hold; `any` is for everybody with a credential, `public` needs no credentials and no version header,
   * `signature` is signed by its sender instead of both.
   */
  scope: Scope | 'any' | 'public' | 'signature';
  /** Conformance level of the narrative that asks for it; `vendor` for our own routes. */
  level: 'core' | 'extended' | 'receipts' | 'replay' | 'vendor';
  success: 101 | 200 | 201 | 202 | 204 | 503;
  query?: z.ZodObject;
  /** JSON body schema; `bytes` for a raw body, `spooled` for one that is too large to be held in memory. */
  body?: z.ZodType | 'bytes' | 'spooled';
  /** Largest JSON body in bytes, where it is less than `limits.max_body_bytes`; larger ones are 413. */
  maxBodyBytes?: number;
  /** False: the body may be left out. Default true where there is a body. */
  bodyRequired?: boolean;
  /** Media types of other forms of the answer, by Accept. Default: none. */
  alternatives?: readonly string[];
  response: z.ZodType | 'none' | 'bytes' | 'event-stream' | 'frames';
  /** Creates a Task: in some versions these operations are one target of retries, and alone take an Idempotency-Key. */
  createsTask?: true;
  /** 409 is an answer that callers have to expect: the document names it. */
  mayConflict?: true;
  /** The answer depends on the version of the protocol it is asked in: `Vary` says so. */
  variesByVersion?: true;
}

/** A whole number of a query, in digits: JavaScript would also take nothing for 0, `0x10`, `1e2` and spaces. */
export function inDigits<Shape extends z.ZodType>(shape: Shape) {
  return z.preprocess((given) => (isWhole(given) ? Number(given) + 0 : given), shape);
}

const isWhole = (given: unknown): boolean => typeof given === 'string' && /^-?\d+$/.test(given);

/** Items of a page: 1 to 200, 50 where none is named. */
const limit = inDigits(z.int().min(1).max(200).default(50));
export const filter = z.string().min(1).max(200).optional();
export const page = z.object({ limit, cursor: z.string().max(512).optional() });
/** `after_event_id` is normative, the other two are aliases. */
export const range = z.object({
  limit,
  after_event_id: z
    .string()
    .max(64)
    .optional()
    .describe(
      'Event id to go on after; 410 `cursor_expired` when events after it were removed by retention. Without it the range begins with what is kept: where a beginning was removed, the first Event is `vendor.harn_gateway.history_removed`.',
    ),
  cursor: z.string().max(64).optional(),
  after: z.string().max(64).optional(),
});
export const eventFilters = { workspace_id: filter, session_id: filter, task_id: filter };
