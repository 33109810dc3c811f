import { z } from 'zod';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import { Streamed, type Tree } from './write-bundle.ts';

export const RUN_RECORD_TYPE = 'run_record';

/** States of workers of the run: a member of `replay`, and of a run record that was restored. */
export const WORKER_SNAPSHOTS = 'worker_snapshots';
/** Whether the Session was `suspended` or `closed`: a member of the metadata of a bundle, and of a restored run record. */
export const SESSION_LIVENESS = 'session_liveness';

/** A run as it is kept: every member may be there, and lists of a long run may be streamed. */
export type RunRecord = { [name: string]: Tree };

/** What makes JSON a run record; members that other versions know are kept as they are. */
export const runRecordSchema = z.looseObject({
  _type: z.literal(RUN_RECORD_TYPE),
  id: z.string().min(1),
  workflow_id: z.string(),
  task: z.string(),
  status: z.string(),
});

/** Access rights of an additional root. Source: "Session bundles", Workspace anchor. */
const MOUNT_MODES = ['read_only', 'extend', 'sandboxed'] as const;

export const workspaceAnchor = z.looseObject({
  primary: z.string(),
  additional_roots: z
    .array(z.looseObject({ path: z.string(), mount_mode: z.enum(MOUNT_MODES).default('read_only') }))
    .default([]),
  anchored_at: z.string().optional(),
});

type List = JsonValue[] | Streamed;

/** A list of the record; empty where there is none. */
export function listIn(record: { [name: string]: Tree }, name: string): List {
  const found = record[name];
  return Array.isArray(found) || found instanceof Streamed ? found : [];
}

/** Makes each item into any number of others; `index` counts what was made. */
export function flatMapped(list: List, make: (item: JsonObject, index: number) => JsonValue[]): List {
  if (list instanceof Streamed) return new Streamed(() => streamed(list, make));
  const made: JsonValue[] = [];
  for (const item of list) made.push(...make(asObject(item), made.length));
  return made;
}

async function* streamed({ items }: Streamed, make: (item: JsonObject, index: number) => JsonValue[]) {
  let index = 0;
  for await (const item of items())
    for (const made of make(asObject(item), index)) {
      index += 1;
      yield made;
    }
}

/** One list after the other. */
export function joinedLists(lists: readonly List[]): List {
  if (!lists.some((list) => list instanceof Streamed)) return (lists as JsonValue[][]).flat();
  return new Streamed(async function* () {
    for (const list of lists) yield* list instanceof Streamed ? list.items() : list;
  });
}

export function asObject(value: Tree | undefined): JsonObject {
  return value instanceof Streamed ? {} : objectOf(value);
}

/** The named members; null where there is nothing. */
export function picked(from: { [name: string]: Tree }, names: readonly string[]): { [name: string]: Tree } {
  return Object.fromEntries(names.map((name) => [name, from[name] ?? null]));
}
