import type { JsonObject } from '#protocol/json.ts';
import { isTerminal } from '#protocol/task-states.ts';
import type { Move, Seen } from '#upstream.ts';
import { isObject } from '../../../mappings/a2a/events.ts';
import { decodeState, statusOf } from '../../../mappings/a2a/states.ts';
import { reconcileArtifact } from './interpret-artifact.ts';
import { bindMoves, draftOf, isUserMessage, messageId } from './interpret-message.ts';
import { isFinalContext, metadataMoves, stateMoves } from './interpret-status.ts';
import { rawState, text } from './progress.ts';
import type { A2aRecord } from './record.ts';

/** A Task is a snapshot: only what the log does not have yet becomes a move, the state last. */
export function interpretTask(body: JsonObject, record: A2aRecord, seen: Seen): Move[] {
  const artifacts = Array.isArray(body['artifacts']) ? body['artifacts'].filter(isObject) : [];
  const found = decodeState(rawState(body) ?? '');
  const isOver = found.known && isTerminal(statusOf(found.word));
  return [
    ...bindMoves(text(body['id']), text(body['contextId']), seen),
    ...metadataMoves(body),
    ...historyMoves(body, seen),
    ...artifacts.flatMap((artifact) => reconcileArtifact(artifact, isOver, seen)),
    ...snapshotState(body, record, seen),
  ];
}

/**
 * What the agent said while nobody listened. A message without id cannot be told from one that is in the log, so it is
 * left out; the one of the status is said with the status.
 */
function historyMoves(body: JsonObject, seen: Seen): Move[] {
  const history = Array.isArray(body['history']) ? body['history'].filter(isObject) : [];
  const said = new Set<string | undefined>([undefined, statusMessageId(body)]);
  return history.flatMap((message): Move[] => {
    const id = messageId(message);
    if (id === undefined || said.has(id) || isUserMessage(message) || seen.hasMessage(id)) return [];
    said.add(id);
    return [{ type: 'message', message: draftOf(message) }];
  });
}

function statusMessage(body: JsonObject): JsonObject | undefined {
  const status = body['status'];
  return isObject(status) && isObject(status['message']) ? status['message'] : undefined;
}

function statusMessageId(body: JsonObject): string | undefined {
  const message = statusMessage(body);
  return message === undefined ? undefined : messageId(message);
}

/**
 * The state of a snapshot. One that stood before the message of the turn says nothing new. A message of an unchanged state has
 * mostly been heard; only an id proves that it is new.
 */
function snapshotState(body: JsonObject, record: A2aRecord, seen: Seen): Move[] {
  if (record.stood === true) return [];
  const id = statusMessageId(body);
  const moves = stateMoves(body, isFinalContext(record, seen), seen);
  const isTold = id === undefined || seen.hasMessage(id);
  return isTold ? moves.filter((move) => move.type !== 'message' && !isRepeat(move)) : moves;
}

function isRepeat(move: Move): boolean {
  return move.type === 'note' && move.note === 'repeated_message';
}
