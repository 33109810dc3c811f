import type { Handlers } from '#core/command.ts';
import type { Expiry } from '#core/expiry.ts';
import type { Projection } from '#eventlog/event-log.ts';
import { foldImported, importedStates, importMarkOf, localEvent } from './bundle/fold-imported.ts';
import type { Fold, Folds } from './payload.ts';
import { type Together, together } from './room.ts';
import * as ROOMS from './rooms.ts';
import { changeSession } from './session/fold.ts';

/** What the rooms do. */
export interface RoomCode {
  handlers: Handlers;
  /** Everything a client can read is folded from events by this one function. */
  project: Projection;
  /** What ends by the clock. */
  expiries: readonly Expiry[];
}

/** What the files of a room have to be. */
interface Loadable {
  operations?: unknown;
  events?: unknown;
  folds?: () => Promise<{ folds: Folds }>;
  handlers?: () => Promise<{ handlers: Partial<Handlers>; expiry?: Expiry }>;
}

type HandlersOf<Room> = Room extends { handlers: () => Promise<{ handlers: infer Of }> } ? Of : never;
/** All that the rooms handle. */
export type RoomHandlers = Together<HandlersOf<(typeof ROOMS)[keyof typeof ROOMS]>>;

/** Loads the code of every room. A row of the operations table without its handler does not compile. */
export async function loadRooms(): Promise<RoomCode> {
  const rooms: readonly Loadable[] = Object.values(ROOMS);
  const loaded = await Promise.all(
    rooms.map(async (room) => ({ ...(await room.handlers?.()), ...(await room.folds?.()) })),
  );
  const handlers = together(loaded.map((room) => room.handlers ?? {})) as RoomHandlers;
  const expiries = loaded.flatMap(({ expiry }) => expiry ?? []);
  return { handlers, expiries, project: projectionOf(together(loaded.map((room) => room.folds ?? {}))) };
}

/** What was recorded by another gateway folds to the same states, in the Workspace it was imported into. */
function projectionOf(folds: Folds): Projection {
  const byKind = new Map<string, readonly Fold[]>(Object.entries(folds));
  return (event, states) => {
    const mark = 'imported' in event.metadata ? importMarkOf(event) : undefined;
    const local = mark === undefined || mark.opaque ? event : localEvent(event, mark);
    const writer = mark === undefined ? states : importedStates(states);
    // A kind without folds changes no resource but `last_event_id`.
    if (!mark?.opaque) for (const fold of byKind.get(event.event) ?? []) fold(local, writer);
    changeSession(local, writer);
    if (mark !== undefined) foldImported(event, mark, states);
  };
}
