import { sha256Hex } from '#json/sha256.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { InvalidBundleError } from './bundle-fault.ts';
import type { BundleFile, Item, Span } from './bundle-file.ts';
import type { Steps } from './paced.ts';
import { asObject } from './run-record.ts';

/** Lists whose items have an id of their own, and the member that holds it. */
const IDENTIFIED: readonly (readonly [path: readonly string[], member: string])[] = [
  [['attachments'], 'id'],
  [['transcript', 'sections'], 'id'],
  [['replay', 'checkpoints'], 'id'],
  [['replay', 'transitions'], 'id'],
  [['replay', 'run_record', 'stages'], 'id'],
  [['replay', 'run_record', 'artifacts'], 'id'],
  [['replay', 'run_record', 'tool_recordings'], 'tool_use_id'],
  [['replay', 'run_record', 'hitl_questions'], 'request_id'],
];

/** Lists whose items come from each other: the member that is their id, and the one that names what they come from. */
const DESCENDED: readonly (readonly [path: readonly string[], member: string, parents: string])[] = [
  [['replay', 'trace_spans'], 'span_id', 'parent_span_id'],
  [['replay', 'run_record', 'artifacts'], 'id', 'lineage'],
  [['replay', 'run_record', 'child_runs'], 'id', 'parent_run_id'],
];

/** Most items that are compared with each other: what is kept of them stays in memory until they were all seen. */
const MAX_COMPARED = 1_000_000;

/** Members by which an attachment could name a file. */
const FILE_NAMES = ['id', 'name', 'path', 'file_name'];

/** Ids that are there twice, things that contain themselves, and file names that lead elsewhere. */
export function* checkReferences(file: BundleFile): Steps<void> {
  for (const [path, member] of IDENTIFIED) yield* refuseDuplicates(file, path, member);
  for (const [path, member, parents] of DESCENDED) yield* refuseCycles(file, path, member, parents);
  refuseOwnParent(file);
  yield* refuseFileNames(file);
}

function* refuseDuplicates(file: BundleFile, path: readonly string[], member: string): Steps<void> {
  const seen = new Set<string>();
  for (const { item, where, bytes } of objectsOf(file, path)) {
    yield bytes;
    const id = item[member];
    if (typeof id !== 'string') continue;
    if (seen.has(kept(id))) throw fault(`${where}.${member}`, `the id ${quoted(id)} is there twice`);
    seen.add(kept(id));
  }
}

/** Follows every item to what it came from; a way that comes back to itself has no end. */
function* refuseCycles(
  file: BundleFile,
  path: readonly string[],
  member: string,
  parents: string,
): Steps<void> {
  const above = new Map<Name, readonly Name[]>();
  let compared = 0;
  for (const found of objectsOf(file, path)) {
    const names: Name[] = [];
    for (const { value, bytes } of named(file, found, parents)) {
      yield bytes;
      if (value === null) continue;
      compared += 1;
      if (compared > MAX_COMPARED)
        throw fault(found.where, `there are more than ${MAX_COMPARED} references; hand on a shorter run`);
      names.push(kept(value));
    }
    above.set(kept(found.item[member] ?? null), names);
    yield found.bytes;
  }
  const loop = loopIn(above);
  if (loop !== undefined)
    throw fault(
      `$.${path.join('.')}`,
      `${member} ${quoted(String(loop))} refers to itself, over others or not`,
    );
}

/** What a member names, one or several; a list that is too long to be held is read where it stands. */
function* named(file: BundleFile, { item, span }: Found, member: string): Generator<Item> {
  const value = item[member] ?? null;
  const list = Array.isArray(value) && span !== undefined ? file.members(span).get(member) : undefined;
  if (list !== undefined) yield* file.values(list);
  else for (const [index, one] of [value].flat().entries()) yield { index, value: one, bytes: 0 };
}

/** Something that is above itself. */
function loopIn(above: ReadonlyMap<Name, readonly Name[]>): Name | undefined {
  const settled = new Set<Name>();
  for (const start of above.keys()) {
    const open = [{ id: start, left: [...(above.get(start) ?? [])] }];
    const way = new Set([start]);
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const next = top.left.pop();
      if (next === undefined) {
        settled.add(top.id);
        way.delete(top.id);
        open.pop();
      } else if (way.has(next)) return next;
      else if (above.has(next) && !settled.has(next)) {
        way.add(next);
        open.push({ id: next, left: [...(above.get(next) ?? [])] });
      }
    }
  }
  return undefined;
}

/** What an id is compared by. */
type Name = string | number | boolean | null;

/** Ids are short; a long one is held by its hash, and what is no id by its text. */
const MAX_ID_CHARS = 128;

function kept(id: string): string;
function kept(id: JsonValue | undefined): Name;
function kept(id: JsonValue | undefined): Name {
  if (id === undefined || id === null || typeof id === 'number' || typeof id === 'boolean') return id ?? null;
  const text = typeof id === 'string' ? id : JSON.stringify(id);
  return text.length > MAX_ID_CHARS ? sha256Hex(text) : text;
}

function refuseOwnParent(file: BundleFile): void {
  const span = file.find('source');
  const source = span === undefined ? {} : asObject(file.skeleton(span));
  const { run_record_id: id } = source;
  for (const name of ['parent_run_id'])
    if (id !== undefined && source[name] === id)
      throw fault(`$.source.${name}`, `the run ${quoted(String(id))} is its own parent`);
}

/** Nothing is written by these names, and nobody else shall be led astray by them. */
function* refuseFileNames(file: BundleFile): Steps<void> {
  for (const { item, where, bytes } of objectsOf(file, ['attachments'])) {
    for (const member of FILE_NAMES) {
      const name = item[member];
      if (typeof name === 'string' && leadsElsewhere(name))
        throw fault(`${where}.${member}`, `the attachment name ${quoted(name)} is a path`);
    }
    yield bytes;
  }
}

function leadsElsewhere(name: string): boolean {
  return name === '.' || name === '..' || /[/\\\0]/.test(name);
}

interface Found {
  item: JsonObject;
  /** Of an item whose long lists and texts are left out. */
  span: Span | undefined;
  where: string;
  bytes: number;
}

function* objectsOf(file: BundleFile, path: readonly string[]): Generator<Found> {
  for (const { index, value, bytes, span } of file.values(file.find(...path), { isBrief: true })) {
    if (index === MAX_COMPARED)
      throw fault(`$.${path.join('.')}`, `there are more than ${MAX_COMPARED} items; hand on a shorter run`);
    yield { item: asObject(value), span, where: `$.${path.join('.')}[${index}]`, bytes };
  }
}

/** Of what came from outside, only as much as a reader needs. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text);
}

function fault(path: string, why: string): InvalidBundleError {
  return new InvalidBundleError('references', path, `${path}: ${why}`);
}
