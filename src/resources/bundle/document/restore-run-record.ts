import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { InvalidBundleError } from './bundle-fault.ts';
import type { BundleFile, Span } from './bundle-file.ts';
import {
  asObject,
  flatMapped,
  listIn,
  RUN_RECORD_TYPE,
  type RunRecord,
  runRecordSchema,
  SESSION_LIVENESS,
  WORKER_SNAPSHOTS,
} from './run-record.ts';
import { decoded } from './validate-bundle.ts';
import { Streamed, type Tree, Trees } from './write-bundle.ts';

/**
 * The run record of a bundle: the embedded one, because it is complete; without one a minimal record that can be replayed, made
 * from the replay fixture and the sections of the transcript. Its long lists are read while it is written. Throws
 * InvalidBundleError where there is neither.
 */
export function restoreRunRecord(file: BundleFile): RunRecord {
  const embedded = file.find('replay', 'run_record');
  if (embedded === undefined || !file.isObject(embedded))
    return { ...fromSections(file), ...besideTheRecord(file) };
  decoded(runRecordSchema, file.skeleton(embedded), '$.replay.run_record');
  return { ...besideTheRecord(file), ...(treeOf(file, embedded) as RunRecord) };
}

/** What newer bundles say beside the record, under the names by which a record is exported with them again. */
function besideTheRecord(file: BundleFile): RunRecord {
  const snapshots = file.find('replay', WORKER_SNAPSHOTS);
  const liveness = file.find('metadata', SESSION_LIVENESS);
  return {
    ...(snapshots === undefined ? {} : { [WORKER_SNAPSHOTS]: treeOf(file, snapshots) }),
    ...(liveness === undefined ? {} : { [SESSION_LIVENESS]: file.parse(liveness) }),
  };
}

/** A part of the document, of which long lists are streamed. */
export function treeOf(file: BundleFile, span: Span): Tree {
  if (file.isSmall(span) || !(file.isObject(span) || file.isList(span))) return file.parse(span);
  if (file.isList(span)) return new Streamed(() => valuesOf(file, span), file.count(span));
  return membersOf(file, span);
}

function membersOf(file: BundleFile, span: Span): { [name: string]: Tree } {
  const members: [string, Tree][] = [];
  for (const [name, value] of file.entries(span)) members.push([name, treeOf(file, value)]);
  return Object.fromEntries(members);
}

function* valuesOf(file: BundleFile, list: Span): Generator<JsonValue> {
  for (const { value } of file.values(list)) yield value;
}

function fromSections(file: BundleFile): RunRecord {
  const replay = part(file, 'replay');
  const sections = [...file.items(file.find('transcript', 'sections'))].map((span) => membersOf(file, span));
  const fixture = asObject(replay['replay_fixture']);
  if (Object.keys(fixture).length === 0 || sections.length === 0)
    throw new InvalidBundleError(
      'references',
      '$.replay',
      'no run record, and no replay fixture with transcript sections to make one from',
    );
  const source = part(file, 'source');
  const run = sections.find(({ scope }) => scope === 'run');
  return {
    _type: RUN_RECORD_TYPE,
    ...sourceMembers(source),
    status: source['status'] ?? fixture['expected_status'] ?? '',
    transcript: run === undefined ? null : transcriptOf(run),
    stages: new Trees(() => stagesOf(sections, fixture)),
    transitions: replay['transitions'] ?? [],
    checkpoints: replay['checkpoints'] ?? [],
    trace_spans: replay['trace_spans'] ?? [],
    tool_recordings: part(file, 'tools')['calls'] ?? [],
    hitl_questions: questionsOf(file),
    artifacts: part(file)['attachments'] ?? [],
    child_runs: [],
    replay_fixture: fixture,
    usage: part(file, 'runtime')['usage'] ?? null,
    metadata: {},
  };
}

const COPIED = [
  'workflow_id',
  'workflow_name',
  'task',
  'started_at',
  'finished_at',
  'parent_run_id',
  'root_run_id',
  'persisted_path',
];

function sourceMembers(source: RunRecord): RunRecord {
  return {
    id: source['run_record_id'] ?? '',
    ...Object.fromEntries(COPIED.map((name) => [name, source[name] ?? null])),
  };
}

function transcriptOf({
  messages = [],
  events = [],
  assets = [],
  metadata = {},
  summary = null,
}: RunRecord): RunRecord {
  return { _type: 'transcript', messages, events, assets, metadata, summary };
}

/** A stage for every section of one, with what the fixture expects of it. */
function stagesOf(sections: readonly RunRecord[], fixture: JsonObject): RunRecord[] {
  const expected = listOf(fixture['stage_assertions']);
  return sections
    .filter(({ scope }) => scope === 'stage')
    .map((section, index) => {
      const {
        node_id = '',
        expected_status = null,
        expected_outcome = null,
        expected_branch = null,
      } = expected[index] ?? {};
      return {
        id: section['id'] ?? '',
        node_id,
        status: expected_status,
        outcome: expected_outcome,
        branch: expected_branch,
        transcript: transcriptOf(section),
      };
    });
}

/** In the words of the run record they are the payloads of what was asked. */
function questionsOf(file: BundleFile): Tree {
  return flatMapped(listIn(part(file), 'permissions'), ({ source, payload = null }) =>
    source === 'run.hitl_questions' ? [payload] : [],
  );
}

/** The members of the bundle, or of one of its parts. */
function part(file: BundleFile, ...names: readonly string[]): RunRecord {
  const span = file.find(...names);
  return span === undefined || !file.isObject(span) ? {} : membersOf(file, span);
}

function listOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.map(asObject) : [];
}
