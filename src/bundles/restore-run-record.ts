import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { InvalidBundleError } from './bundle-fault.ts';
import type { BundleFile } from './bundle-file.ts';
import { RUN_RECORD_TYPE, runRecordSchema } from './run-record.ts';
import { asMembers, decoded } from './validate-bundle.ts';

/**
 * The run record of a bundle: the embedded one, because it is complete; without one a minimal record that can be replayed, made
 * from the replay fixture and the sections of the transcript. Throws InvalidBundleError where there is neither.
 */
export function restoreRunRecord(file: BundleFile): JsonObject {
  const embedded = file.find('replay', 'run_record');
  const record = embedded === undefined ? null : file.parse(embedded);
  if (record !== null) {
    decoded(runRecordSchema, record, '$.replay.run_record');
    return record as JsonObject;
  }
  return fromSections(file);
}

function fromSections(file: BundleFile): JsonObject {
  const replay = part(file, 'replay');
  const sections = listOf(part(file, 'transcript')['sections']);
  const fixture = asMembers(replay['replay_fixture']);
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
    stages: stagesOf(sections, fixture),
    transitions: replay['transitions'] ?? [],
    checkpoints: replay['checkpoints'] ?? [],
    trace_spans: replay['trace_spans'] ?? [],
    tool_recordings: part(file, 'tools')['calls'] ?? [],
    hitl_questions: questionsOf(file),
    artifacts: parsedList(file, 'attachments'),
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

function sourceMembers(source: JsonObject): JsonObject {
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
}: JsonObject): JsonObject {
  return { _type: 'transcript', messages, events, assets, metadata, summary };
}

/** A stage for every section of one, with what the fixture expects of it. */
function stagesOf(sections: readonly JsonObject[], fixture: JsonObject): JsonObject[] {
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

function questionsOf(file: BundleFile): JsonValue[] {
  return parsedList(file, 'permissions').flatMap((permission) => {
    const { source, payload = null } = asMembers(permission);
    return source === 'run.hitl_questions' ? [payload] : [];
  });
}

function part(file: BundleFile, name: string): JsonObject {
  const span = file.find(name);
  return asMembers(span === undefined ? null : file.parse(span));
}

function parsedList(file: BundleFile, name: string): JsonValue[] {
  return [...file.items(file.find(name))].map((span) => file.parse(span));
}

function listOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.map(asMembers) : [];
}
