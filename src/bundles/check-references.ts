import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { InvalidBundleError } from './bundle-fault.ts';
import type { BundleFile, Span } from './bundle-file.ts';
import type { Steps } from './paced.ts';

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

/** Most items that are compared with each other: what is kept of them stays in memory until they were all seen. */
const MAX_COMPARED = 1_000_000;

/** Members by which an attachment could name a file. */
const FILE_NAMES = ['id', 'name', 'path', 'file_name'];

/** Ids that are there twice, things that contain themselves, and file names that lead elsewhere. */
export function* checkReferences(file: BundleFile): Steps<void> {
  for (const [path, member] of IDENTIFIED) yield* refuseDuplicates(file, path, member);
  yield* refuseCycles(file, ['replay', 'trace_spans'], 'span_id', ({ parent_span_id }) => [parent_span_id]);
  yield* refuseCycles(file, ['replay', 'run_record', 'artifacts'], 'id', ({ lineage }) =>
    Array.isArray(lineage) ? lineage : [],
  );
  yield* refuseCycles(file, ['replay', 'run_record', 'child_runs'], 'id', ({ parent_run_id }) => [
    parent_run_id,
  ]);
  refuseOwnParent(file);
  yield* refuseFileNames(file);
}

function* refuseDuplicates(file: BundleFile, path: readonly string[], member: string): Steps<void> {
  const seen = new Set<JsonValue>();
  for (const { item, where, bytes } of objectsOf(file, path)) {
    yield bytes;
    const id = item[member];
    if (typeof id !== 'string') continue;
    if (seen.has(id)) throw fault(`${where}.${member}`, `the id ${quoted(id)} is there twice`);
    seen.add(id);
  }
}

/** Follows every item to what it came from; a way that comes back to itself has no end. */
function* refuseCycles(
  file: BundleFile,
  path: readonly string[],
  member: string,
  parents: (item: JsonObject) => readonly (JsonValue | undefined)[],
): Steps<void> {
  const above = new Map<JsonValue, readonly (JsonValue | undefined)[]>();
  for (const { item, bytes } of objectsOf(file, path)) {
    above.set(item[member] ?? null, parents(item));
    yield bytes;
  }
  const settled = new Set<JsonValue>();
  for (const start of above.keys()) {
    const open = [{ id: start, left: [...(above.get(start) ?? [])] }];
    const way = new Set([start]);
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const next = top.left.pop();
      if (next === undefined || next === null) {
        if (top.left.length > 0) continue;
        settled.add(top.id);
        way.delete(top.id);
        open.pop();
      } else if (way.has(next)) {
        throw fault(
          `$.${path.join('.')}`,
          `${member} ${quoted(String(next))} refers to itself, over others or not`,
        );
      } else if (above.has(next) && !settled.has(next)) {
        way.add(next);
        open.push({ id: next, left: [...(above.get(next) ?? [])] });
      }
    }
  }
}

function refuseOwnParent(file: BundleFile): void {
  const source = parsed(file, file.find('source'));
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

function* objectsOf(
  file: BundleFile,
  path: readonly string[],
): Generator<{ item: JsonObject; where: string; bytes: number }> {
  let index = 0;
  for (const span of file.items(file.find(...path))) {
    const bytes = span.end - span.start;
    if (index === MAX_COMPARED)
      throw fault(`$.${path.join('.')}`, `there are more than ${MAX_COMPARED} items; hand on a shorter run`);
    yield { item: parsed(file, span), where: `$.${path.join('.')}[${index}]`, bytes };
    index += 1;
  }
}

function parsed(file: BundleFile, span: Span | undefined): JsonObject {
  const value = span === undefined ? null : file.skeleton(span);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

/** Of what came from outside, only as much as a reader needs. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text);
}

function fault(path: string, why: string): InvalidBundleError {
  return new InvalidBundleError('references', path, `${path}: ${why}`);
}
