import { createHmac } from 'node:crypto';
import type { Event } from '#eventlog/event-log.ts';
import type { JsonValue } from '#protocol/json.ts';
import type { KnownKind } from '#resources/event-payloads.ts';
import type { Task } from '#resources/task/schema.ts';
import type { PushSecrets } from './schema.ts';

/** How events are posted to a receiver. */
export interface DeliveryForm {
  /** Headers of every post, `content-type` among them. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Begins with the first event of a Task. The function takes every event in order, without what is internal, and gives
   * what is to be posted for it, in order; nothing for most. `task` gives the Task as it is now.
   */
  open(task: () => Task): (event: Event) => readonly JsonValue[];
}

/** Posts one text. Never rejects. */
export type Post = (
  call: { url: string; headers: Readonly<Record<string, string>>; body: string },
  signal: AbortSignal,
) => Promise<PostOutcome>;

export type PostOutcome =
  | { kind: 'answered'; status: number; retryAfterSeconds: number | undefined }
  /** The target may not be called. */
  | { kind: 'refused'; reason: string }
  | { kind: 'failed'; reason: string };

/** Every event with its Task. See README.md, What is posted. */
export const HARN_FORM: DeliveryForm = {
  headers: { 'content-type': 'application/json' },
  open: (task) => (event) => [{ task: task() as unknown as JsonValue, event: event as unknown as JsonValue }],
};

/** What people are asked, and what became of it. */
const APPROVAL_KINDS: ReadonlySet<string> = new Set<KnownKind>([
  'tool.approval_required',
  'tool.approved',
  'tool.denied',
  'vendor.harn_gateway.permission_requested',
  'vendor.harn_gateway.approval_voted',
  'vendor.harn_gateway.permission_resolved',
]);

/** The same for permission requests alone. */
export const APPROVALS: DeliveryForm = {
  headers: HARN_FORM.headers,
  open: (task) => {
    const all = HARN_FORM.open(task);
    return (event) => (APPROVAL_KINDS.has(event.event) ? all(event) : []);
  },
};

const DELIVERY_HEADER = 'x-harn-delivery';
const SIGNATURE_HEADER = 'x-harn-signature';
/** The specifications of A2A and its libraries disagree about the name. */
const TOKEN_HEADERS = ['x-a2a-notification-token', 'a2a-notification-token'];

/**
 * The headers of one post. `deliveryId` is the same at every attempt, so that a receiver can recognize a repetition; the signature
 * carries the time of the attempt (epoch milliseconds). `signedToken` makes the credentials of a config that has none.
 * See README.md, Signatures.
 */
export function deliveryHeaders(
  form: DeliveryForm,
  { token, authentication, secret }: PushSecrets,
  { deliveryId, body, nowMs }: { deliveryId: string; body: string; nowMs: number },
  signedToken: () => string,
): Record<string, string> {
  const headers: Record<string, string> = { ...form.headers, [DELIVERY_HEADER]: deliveryId };
  if (token !== undefined) for (const name of TOKEN_HEADERS) headers[name] = token;
  if (authentication)
    headers['authorization'] = `${authentication.scheme} ${authentication.credentials ?? signedToken()}`;
  if (secret !== undefined) {
    const seconds = Math.floor(nowMs / 1000);
    const mac = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
    headers[SIGNATURE_HEADER] = `t=${seconds},v1=${mac}`;
  }
  return headers;
}

/** Undefined for a delivery that arrived, else why it did not, and whether trying again is of any use. */
export function failureOf(outcome: PostOutcome): { reason: string; isFinal: boolean } | undefined {
  if (outcome.kind === 'refused') return { reason: `refused: ${outcome.reason}`, isFinal: true };
  if (outcome.kind === 'failed') return { reason: outcome.reason, isFinal: false };
  if (outcome.status >= 200 && outcome.status < 300) return undefined;
  // A receiver that says "gone" does not come back; all else may be a deployment under way.
  return { reason: `http ${outcome.status}`, isFinal: outcome.status === 410 };
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 3_600_000;

/** The wait before the next attempt: doubling from a second to an hour, longer when the receiver asks for it. */
export function waitAfter(attempts: number, outcome: PostOutcome): number {
  const backoff = Math.min(FIRST_WAIT_MS * 2 ** (attempts - 1), LONGEST_WAIT_MS);
  const asked = outcome.kind === 'answered' ? (outcome.retryAfterSeconds ?? 0) * 1000 : 0;
  return Math.min(Math.max(backoff, asked), LONGEST_WAIT_MS);
}
