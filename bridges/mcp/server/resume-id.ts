import { createHash } from 'node:crypto';

/** Where a client was in the answer to one of its calls: all that is needed to go on from the log. */
export interface CallPlace {
  taskId: string;
  /** Id of the JSON-RPC request that the call came with. */
  requestId: string | number;
  /** Token of the request; null when it wants no progress. */
  progressToken: string | number | null;
  /** Id of the last event of the log that was sent; empty before the first. */
  after: string;
  /** Ways of asking that the client offers, as in its capability `elicitation`. */
  asks: readonly string[];
}

const CALL = 'call.';
const LISTS = 'lists.';

/** The id of an event in the answer to a call. It is no credential: what is read by it is what the caller may read anyway. */
export function callId({ taskId, requestId, progressToken, after, asks }: CallPlace): string {
  const place = JSON.stringify([taskId, requestId, progressToken, after, ...asks]);
  return CALL + Buffer.from(place).toString('base64url');
}

/** Undefined for the id of another event, and for what the gateway never gave. */
export function placeOf(id: string): CallPlace | undefined {
  if (!id.startsWith(CALL)) return undefined;
  const [taskId, requestId, progressToken, after, ...rest] = parsed(id.slice(CALL.length));
  const isPlace =
    typeof taskId === 'string' && isId(requestId) && (progressToken === null || isId(progressToken));
  if (!isPlace || typeof after !== 'string') return undefined;
  const asks = rest.filter((word) => typeof word === 'string');
  return { taskId, requestId, progressToken, after, asks };
}

/** The id of an event that stands for a changed list: the list as it was then. */
export function listsId(offered: string): string {
  return LISTS + createHash('sha256').update(offered).digest('base64url').slice(0, 22);
}

export function isListsId(id: string): boolean {
  return id.startsWith(LISTS);
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

function parsed(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
