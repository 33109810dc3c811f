import type { StateReader, StateWriter } from '#eventlog/event-log.ts';
import { type Clean, fromLog } from '#protocol/clean.ts';
import { sessionKeys, type TurnBlockState, type TurnEntry, type TurnState } from '../state.ts';

/** Turns that share a row: few rows for a long transcript, and little to write again when a turn is added. */
const TURNS_IN_BLOCK = 16;
const EVENT_ID_DIGITS = 20;

/** The turn at a position from 0; undefined where there is none. */
export function turnAt(
  reader: StateReader,
  sessionId: string,
  position: number,
): Clean<TurnState> | undefined {
  if (position < 0) return undefined;
  const entry = blockOf(reader, sessionId, position)?.turns[position % TURNS_IN_BLOCK];
  return entry ? fromLog(turnOf(entry)) : undefined;
}

export function putTurn(states: StateWriter, sessionId: string, position: number, turn: TurnState): void {
  const key = keyOf(sessionId, position);
  const turns = [...(states.get<TurnBlockState>(key)?.turns ?? [])];
  const at = position % TURNS_IN_BLOCK;
  // The beginning of a Session may be elsewhere: an import does not bring the turns that a fork began with.
  while (turns.length < at) turns.push(null);
  turns[at] = entryOf(turn);
  states.set(key, { turns } satisfies TurnBlockState);
}

/** Copies the first turns of a transcript to another Session, where no event of its own put them. Returns the last one. */
export function copyTurns(
  states: StateWriter,
  from: string,
  to: string,
  count: number,
): TurnState | undefined {
  for (let position = 0; position < count; position += TURNS_IN_BLOCK) {
    const block = blockOf(states, from, position);
    if (block === undefined) continue;
    const turns = block.turns
      .slice(0, count - position)
      .map((entry) => entry && entryOf({ ...turnOf(entry), events: 0 }));
    states.set(keyOf(to, position), { turns } satisfies TurnBlockState);
  }
  return turnAt(states, to, count - 1);
}

/** Takes out the turns from a position up to another one (exclusive), which is the end. Returns the ids of their Messages. */
export function cutTurns(states: StateWriter, sessionId: string, from: number, end: number): Set<string> {
  const removed = new Set<string>();
  for (let start = from - (from % TURNS_IN_BLOCK); start < end; start += TURNS_IN_BLOCK) {
    const turns = blockOf(states, sessionId, start)?.turns;
    if (turns === undefined) continue;
    const kept = Math.max(0, from - start);
    for (const entry of turns.slice(kept)) if (entry) removed.add(turnOf(entry).message_id);
    const block: TurnBlockState | undefined = kept === 0 ? undefined : { turns: turns.slice(0, kept) };
    states.set(keyOf(sessionId, start), block);
  }
  return removed;
}

/** Ids of the Messages of a row. */
export function messagesOf(block: TurnBlockState | undefined): string[] {
  return (block?.turns ?? []).flatMap((entry) => (entry ? turnOf(entry).message_id : []));
}

function keyOf(sessionId: string, position: number): string {
  return sessionKeys.turns(sessionId, Math.floor(position / TURNS_IN_BLOCK));
}

function blockOf(reader: StateReader, sessionId: string, position: number): TurnBlockState | undefined {
  return reader.get<TurnBlockState>(keyOf(sessionId, position));
}

function entryOf({ message_id, event_id, events, bytes }: TurnState): TurnEntry {
  return [message_id, event_id.replace(/^0+/, ''), events, bytes];
}

function turnOf([message_id, event, events, bytes]: TurnEntry): TurnState {
  return { message_id, event_id: event.padStart(EVENT_ID_DIGITS, '0'), events, bytes };
}
