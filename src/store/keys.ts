import { ProtocolError } from '#protocol/errors.ts';

/**
 * The key layout, one row per kind of record. Keys are ASCII, segments end at `/`, numbers are zero-padded so that the
 * byte order is the numeric order. Primary kinds are hashed into commits; derived kinds can be rebuilt from them.
 */
export const KEY_KINDS = {
  commit: { prefix: 'c/', shape: 'c/<16-digit commit>', kind: 'primary', holds: 'commit record' },
  summary: {
    prefix: 'cs/',
    shape: 'cs/commits',
    kind: 'primary',
    holds: 'what stands for commit records that were removed, signed',
  },
  event: {
    prefix: 'e/',
    shape: 'e/<20-digit id of the last event>',
    kind: 'primary',
    holds: 'segment: the bytes of consecutive events of one session and one transaction, a line each',
  },
  frame: {
    prefix: 'f/',
    shape: 'f/<task>/<8-digit n>',
    kind: 'primary',
    holds: 'replay material of a task: the frames of one transaction; the key has the number of the first',
  },
  content: {
    prefix: 'b/',
    shape: 'b/<workspace or tenant>/<sha256>/<8-digit n>',
    kind: 'primary',
    holds: 'piece of bytes that are stored once per workspace, under what they are',
  },
  part: {
    prefix: 'a/',
    shape: 'a/<artifact>/<8-digit n>',
    kind: 'primary',
    holds: 'part of an artifact that its agent has not ended, or has replaced',
  },
  layout: {
    prefix: 'al/',
    shape: 'al/<artifact>',
    kind: 'primary',
    holds: 'where the parts of an ended artifact lie in its content',
  },
  idempotency: { prefix: 'i/', shape: 'i/<hash>', kind: 'primary', holds: 'decided answer of a command' },
  input: {
    prefix: 's/',
    shape: 's/<task or message>',
    kind: 'primary',
    holds: 'encrypted input until it is sent',
  },
  receipt: {
    prefix: 'rc/',
    shape: 'rc/<receipt>',
    kind: 'primary',
    holds: 'canonical receipt as it is served',
  },
  resource: {
    prefix: 'r/',
    shape: 'r/<object>/<id>',
    kind: 'derived',
    holds: 'resource folded from its events, with its newest event and sequence',
  },
  fold: { prefix: 'x/', shape: 'x/<name>/...', kind: 'derived', holds: 'internal fold' },
  list: { prefix: 'l/', shape: 'l/<list>/...', kind: 'derived', holds: 'list index, empty value' },
  sessionEvent: {
    prefix: 'es/',
    shape: 'es/<session>/<segment>',
    kind: 'derived',
    holds: "names a segment and which of its events are the session's",
  },
  taskEvent: {
    prefix: 'et/',
    shape: 'et/<task>/<segment>',
    kind: 'derived',
    holds: "names a segment and which of its events are the task's",
  },
  answersSwept: {
    prefix: 'it/',
    shape: 'it/swept',
    kind: 'primary',
    holds: 'through which commit decided answers were forgotten, and when',
  },
  base: {
    prefix: 'p/',
    shape: 'p/<derived key>',
    kind: 'primary',
    holds: 'what events that retention removed had folded to, where the row itself has changed since',
  },
  leaf: {
    prefix: 'tl/',
    shape: 'tl/<16-digit index>',
    kind: 'primary',
    holds: 'leaf of the receipt log',
  },
  treeNode: {
    prefix: 'tn/',
    shape: 'tn/<2-digit level>/<16-digit index>',
    kind: 'primary',
    holds: 'root of a perfect subtree of the receipt log',
  },
  treeHead: {
    prefix: 'th/',
    shape: 'th/newest',
    kind: 'primary',
    holds: 'newest signed head of the receipt log',
  },
  trust: {
    prefix: 'tr/',
    shape: 'tr/<topic>/<16-digit index>',
    kind: 'primary',
    holds: 'canonical trust record as it is served, in the order of its chain',
  },
  cut: {
    prefix: 'o/',
    shape: 'o/<stream>/<id>',
    kind: 'primary',
    holds:
      'mark of the newest event that retention removed, or of the newest one that the base holds although it stays',
  },
  tombstone: {
    prefix: 'ts/',
    shape: 'ts/<session>',
    kind: 'primary',
    holds: 'what is left of a session that was removed whole',
  },
  meta: { prefix: 'm/', shape: 'm/<name>', kind: 'own', holds: 'schema version, log id' },
} as const;

const COMMIT_DIGITS = 16;
const PIECE_DIGITS = 8;
const LEAF_DIGITS = 16;
const LEVEL_DIGITS = 2;

/** Printable ASCII without the separator. */
const SEGMENT = /^[!-.0-~]+$/;
const EVENT_ID = /^\d{20}$/;

export const commitKey = (commit: number): string => KEY_KINDS.commit.prefix + padded(commit, COMMIT_DIGITS);
/** Key of the segment that ends with this event. */
export const eventKey = (eventId: string): string => KEY_KINDS.event.prefix + knownEventId(eventId);
export const isEventKey = (key: string): boolean => key.startsWith(KEY_KINDS.event.prefix);
export const frameKey = (task: string, n: number): string => `${framesOf(task)}${padded(n, PIECE_DIGITS)}`;
/** `scope` is the workspace, or stands for the tenant of what belongs to none; `sha256` is bare hex. */
export const contentKey = (scope: string, sha256: string, n: number): string =>
  `${KEY_KINDS.content.prefix}${joined([scope, sha256])}/${padded(n, PIECE_DIGITS)}`;
/** The content that a key is a piece of, and which; undefined for another key. */
export function contentPlaceOf(key: string): { scope: string; sha256: string; n: number } | undefined {
  const [, scope, sha256, n] = /^b\/([^/]+)\/([0-9a-f]{64})\/(\d{8})$/.exec(key) ?? [];
  return scope === undefined || sha256 === undefined ? undefined : { scope, sha256, n: Number(n) };
}
export const partKey = (artifact: string, n: number): string =>
  `${partsOf(artifact)}${padded(n, PIECE_DIGITS)}`;
/** Parts of an artifact, which are kept one by one. */
export const partsOf = (artifact: string): string => `${KEY_KINDS.part.prefix}${segment(artifact)}/`;
export const layoutKey = (artifact: string): string => KEY_KINDS.layout.prefix + segment(artifact);
export const idempotencyKey = (hash: string): string => KEY_KINDS.idempotency.prefix + segment(hash);
export const inputKey = (taskOrMessage: string): string => KEY_KINDS.input.prefix + segment(taskOrMessage);
export const receiptKey = (receipt: string): string => KEY_KINDS.receipt.prefix + segment(receipt);
export const resourceKey = (object: string, id: string): string =>
  `${KEY_KINDS.resource.prefix}${segment(object)}/${segment(id)}`;
export const foldKey = (...parts: readonly string[]): string => KEY_KINDS.fold.prefix + joined(parts);
export const listKey = (...parts: readonly string[]): string => KEY_KINDS.list.prefix + joined(parts);
export const ANSWERS_SWEPT_KEY = `${KEY_KINDS.answersSwept.prefix}swept`;
export const baseKey = (derivedKey: string): string => KEY_KINDS.base.prefix + derivedKey;
/** How far retention came in the events of one workspace. */
export const workspaceCutKey = (workspace: string): string =>
  `${KEY_KINDS.cut.prefix}workspace/${segment(workspace)}`;
/** Where the mark of a stream stands that lost its beginning. */
export const streamCutKey = (object: 'session' | 'task', id: string): string =>
  `${KEY_KINDS.cut.prefix}${object}/${segment(id)}`;
/** What is left of a session that retention removed whole. */
export const tombstoneKey = (session: string): string => KEY_KINDS.tombstone.prefix + segment(session);
/** Up to which event the base holds what a session's events folded to, although the events stay. */
export const FOLDED_SESSIONS = `${KEY_KINDS.cut.prefix}folded/`;
export const foldedKey = (session: string): string => FOLDED_SESSIONS + segment(session);
/** There once some session has such a mark. */
export const LOG_FOLDED_KEY = `${KEY_KINDS.cut.prefix}log/folded`;
/** How far retention came over all workspaces. */
export const LOG_CUT_KEY = `${KEY_KINDS.cut.prefix}log/all`;
export const SUMMARY_KEY = `${KEY_KINDS.summary.prefix}commits`;
const WRITTEN_ONCE = [KEY_KINDS.frame, KEY_KINDS.leaf, KEY_KINDS.treeNode].map(({ prefix }) => prefix);
/** Whether a key never gets another record. */
export const isWrittenOnce = (key: string): boolean => WRITTEN_ONCE.some((prefix) => key.startsWith(prefix));
/** Leaf of the receipt log, by its place in it from 0. */
export const leafKey = (index: number): string => KEY_KINDS.leaf.prefix + padded(index, LEAF_DIGITS);
export const treeNodeKey = (level: number, index: number): string =>
  `${KEY_KINDS.treeNode.prefix}${padded(level, LEVEL_DIGITS)}/${padded(index, LEAF_DIGITS)}`;
export const TREE_HEAD_KEY = `${KEY_KINDS.treeHead.prefix}newest`;
/** Link of a chain of trust records, by its place in it from 1. */
export const trustKey = (topic: string, index: number): string =>
  `${KEY_KINDS.trust.prefix}${segment(encodeURIComponent(topic))}/${padded(index, LEAF_DIGITS)}`;
/** The topic and the index in the key of a trust record; undefined for another key. */
export function trustPlaceOf(key: string): { topic: string; index: number } | undefined {
  const [, topic, index] = /^tr\/([^/]+)\/(\d{16})$/.exec(key) ?? [];
  return topic === undefined ? undefined : { topic: decodeURIComponent(topic), index: Number(index) };
}
export const metaKey = (name: string): string => KEY_KINDS.meta.prefix + segment(name);
/** Of which stream a store is a copy, and how far it has read it. */
export const JOURNAL_KEY = metaKey('journal');

/** Prefixes of everything that belongs to one owner; ranges are made of them with `keysUnder`. */
export const streamOf = (object: 'session' | 'task', id: string): string =>
  `${object === 'session' ? KEY_KINDS.sessionEvent.prefix : KEY_KINDS.taskEvent.prefix}${segment(id)}/`;
export const framesOf = (task: string): string => `${KEY_KINDS.frame.prefix}${segment(task)}/`;

/** The range of all keys that begin with the prefix, which ends in `/`. */
export function keysUnder(prefix: string): { gte: string; lt: string } {
  if (!prefix.endsWith('/')) throw new RangeError(`A key prefix ends in "/": ${prefix}`);
  // '0' is the byte after '/', so this is the first key behind the prefix.
  return { gte: prefix, lt: `${prefix.slice(0, -1)}0` };
}

/** The text after the last `/`: the event id of an index key, the number of a piece. */
export const lastSegment = (key: string): string => key.slice(key.lastIndexOf('/') + 1);

function noKeyNumber(n: number): RangeError {
  return new RangeError(`A key number is a whole number from 0: ${n}`);
}

function padded(n: number, digits: number): string {
  if (!Number.isSafeInteger(n) || n < 0) throw noKeyNumber(n);
  const text = String(n).padStart(digits, '0');
  if (text.length > digits) throw new RangeError(`A key number has at most ${digits} digits: ${n}`);
  return text;
}

/** Refuses an id that can be no key. Such a resource cannot exist, and the caller gets the answer for an absent one. */
function segment(text: string): string {
  if (!SEGMENT.test(text)) throw new ProtocolError('resource_not_found', 'No such resource. Check the id.');
  return text;
}

function knownEventId(eventId: string): string {
  if (!EVENT_ID.test(eventId)) throw new ProtocolError('resource_not_found', 'No such event. Check the id.');
  return eventId;
}

function joined(parts: readonly string[]): string {
  return parts.map(segment).join('/');
}
