import type { z } from 'zod';
import type { TaxonomyKind } from '#protocol/event-kinds.ts';
import { type Together, together } from './room.ts';
import * as ROOMS from './rooms.ts';

type Room = (typeof ROOMS)[keyof typeof ROOMS];
type EventsOf<Of> = Of extends { events: infer Payloads extends object } ? Payloads : never;
type EventPayloads = Together<EventsOf<Room>>;

/** Payload schema of every kind this version emits; a test checks each emitted event against its row. */
export const EVENT_PAYLOADS: EventPayloads = together(
  Object.values(ROOMS).flatMap((room) => ('events' in room ? [room.events] : [])),
);

export type EmittedKind = keyof EventPayloads;
/** Kinds that are known by name. */
export type KnownKind = TaxonomyKind | EmittedKind;
export type PayloadOf<Kind extends EmittedKind> = z.infer<EventPayloads[Kind]>;
