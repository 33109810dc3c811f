import type { z } from 'zod';
import type { SpooledBytes } from '#protocol/bytes.ts';
import type { OperationRow } from '#protocol/operation-row.ts';
import { type Together, together } from './room.ts';
import * as ROOMS from './rooms.ts';

export type { OperationRow } from '#protocol/operation-row.ts';

type Room = (typeof ROOMS)[keyof typeof ROOMS];
type OperationsOf<Of> = Of extends { operations: infer Rows extends object } ? Rows : never;
type Rows = Together<OperationsOf<Room>>;

/** Every operation of the gateway, from the rooms. */
const rows: Rows = together(
  Object.values(ROOMS).flatMap((room) => ('operations' in room ? [room.operations] : [])),
);

export const OPERATIONS = rows;
export type OperationId = keyof typeof rows;
export type IdsOfKind<Kind extends OperationRow['kind']> = {
  [Id in OperationId]: (typeof rows)[Id]['kind'] extends Kind ? Id : never;
}[OperationId];
export type CommandId = IdsOfKind<'command'>;
export type QueryId = IdsOfKind<'query'>;
export type StreamId = IdsOfKind<'stream'>;
export type DocumentId = IdsOfKind<'document'>;

type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never;

/** What a decoded call of an operation holds. */
export interface OperationInput<Id extends OperationId> {
  path: Record<ParamNames<(typeof rows)[Id]['path']>, string>;
  query: (typeof rows)[Id] extends { query: infer Query extends z.ZodObject }
    ? z.infer<Query>
    : Record<never, never>;
  body: (typeof rows)[Id] extends { body: infer Body }
    ? Body extends z.ZodType
      ? (typeof rows)[Id] extends { bodyRequired: false }
        ? z.infer<Body> | undefined
        : z.infer<Body>
      : Body extends 'spooled'
        ? SpooledBody
        : RawBody
    : undefined;
}

/** A raw body with its declared media type. */
export interface RawBody {
  bytes: Buffer;
  mimeType: string;
  /** Lower-case hex hash of a long one, made while it came: hashing it in one go would hold everybody up. */
  sha256?: string;
  /** Headers of the request by lower-case name; only where the operation is signed by its sender. */
  headers?: Readonly<Record<string, string>>;
}

/** A raw body that lies in a file as long as the call goes on. */
export interface SpooledBody {
  spooled: SpooledBytes;
}

export function operation(id: OperationId): OperationRow {
  return rows[id];
}
