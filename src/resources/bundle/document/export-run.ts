import type { Spool } from '#protocol/bytes.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { PLACEHOLDER } from '#redaction/marker.ts';
import { BUNDLE_TYPE, type BundleMode, SCHEMA_ID, SCHEMA_VERSION } from '../session-bundle-schema.ts';
import { type ManifestKey, signManifest } from './manifest.ts';
import type { Turn } from './paced.ts';
import { BundleRedaction, type PieceRedactor, REDACTION_POLICY } from './redact-bundle.ts';
import { RedactionEntries } from './redaction-entries.ts';
import {
  asObject,
  flatMapped,
  joinedLists,
  listIn,
  picked,
  type RunRecord,
  SESSION_LIVENESS,
  WORKER_SNAPSHOTS,
  workspaceAnchor,
} from './run-record.ts';
import { Streamed, type Tree, Trees, writeBundle } from './write-bundle.ts';

interface ExportOptions extends BundleFacts {
  mode: BundleMode;
  redactor: PieceRedactor;
  metadata?: JsonObject;
  receipts?: Streamed;
  signingKeys?: JsonObject;
  /** Without it the bundle has no manifest. */
  key?: ManifestKey;
  /** Where the list of replacements lies that is too long to be held. Default: it is held all the same. */
  spool?: Spool;
  turn?: Turn;
}

/** The JSON text of the bundle of a run, piece by piece. */
export function exportRun(record: RunRecord, options: ExportOptions): AsyncGenerator<string, void> {
  const { mode, redactor, metadata = {}, receipts, signingKeys, key, createdAt, spool, turn } = options;
  const liveness = record[SESSION_LIVENESS];
  const told = typeof liveness === 'string' ? { [SESSION_LIVENESS]: liveness } : {};
  const tree = {
    sections: bundleSections(record, options),
    metadata: { ...told, ...metadata },
    receipts,
    signingKeys,
  };
  const sign =
    key && ((sections: Readonly<Record<string, string>>) => signManifest(sections, key, createdAt));
  const redaction = new BundleRedaction(mode, redactor, new RedactionEntries({ spool, turn }));
  return writeBundle(tree, redaction, redactionSection(mode), sign);
}

interface BundleFacts {
  bundleId: string;
  /** RFC 3339. */
  createdAt: string;
  producer: { name: string; version: string };
  /** Whether the payloads of the artifacts come along. */
  attachments: boolean;
}

/** The sections of a bundle, made from a run record alone. Source: "Session bundles". */
function bundleSections(record: RunRecord, facts: BundleFacts): { [name: string]: Tree } {
  const { bundleId, createdAt, producer } = facts;
  const workspace = workspaceOf(record);
  return {
    _type: BUNDLE_TYPE,
    schema_version: SCHEMA_VERSION,
    bundle_id: bundleId,
    created_at: createdAt,
    producer: { ...producer, schema_id: SCHEMA_ID },
    source: sourceOf(record),
    runtime: runtimeOf(record, producer.version),
    transcript: { sections: new Trees(() => transcriptSections(record)) },
    tools: {
      schemas: flatMapped(transcriptEvents(record), (event, index) =>
        event['type'] === 'tool_schemas' ? [{ source: 'run.transcript', index, value: event }] : [],
      ),
      calls: listIn(record, 'tool_recordings'),
    },
    permissions: permissionsOf(record),
    replay: replayOf(record),
    attachments: facts.attachments ? flatMapped(listIn(record, 'artifacts'), attachment) : [],
    ...(workspace === undefined ? {} : { workspace }),
  };
}

/** By which rules something was replaced; the entries stand beside that. */
function redactionSection(mode: BundleMode): JsonObject {
  const isLocal = mode === 'local';
  return {
    mode,
    policy: isLocal ? 'none' : REDACTION_POLICY,
    placeholder: PLACEHOLDER,
    unsafe_secret_markers_rejected: !isLocal,
  };
}

const SOURCE_MEMBERS = [
  'workflow_id',
  'workflow_name',
  'task',
  'status',
  'started_at',
  'finished_at',
  'parent_run_id',
  'root_run_id',
  'persisted_path',
];

function sourceOf(record: RunRecord): { [name: string]: Tree } {
  const children = record['child_runs'];
  const started = record['started_at'] ?? '';
  return {
    kind: 'run_record',
    run_record_id: record['id'] ?? '',
    ...picked(record, SOURCE_MEMBERS),
    started_at: started,
    child_run_count: countOf(children),
  };
}

function countOf(list: Tree | undefined): number {
  if (list instanceof Streamed) return list.count ?? 0;
  return Array.isArray(list) ? list.length : 0;
}

const USAGE_MEMBERS = [
  'call_count',
  'input_tokens',
  'models',
  'output_tokens',
  'total_cost',
  'total_duration_ms',
];

function runtimeOf(record: RunRecord, version: string): { [name: string]: Tree } {
  const usage = asObject(record['usage']);
  const models = usage['models'];
  const known = USAGE_MEMBERS.filter((name) => usage[name] !== undefined);
  return {
    harn_version: version,
    metadata: {},
    provider_models: Array.isArray(models) ? models : [],
    usage: record['usage'] ? picked(usage, known) : null,
  };
}

type Transcript = { [name: string]: Tree };

/** The transcript may hold streamed lists, so it is no JSON yet. */
function transcriptOf(owner: { [name: string]: Tree }): Transcript | undefined {
  const found = owner['transcript'];
  const isThere = typeof found === 'object' && found !== null && !Array.isArray(found);
  return isThere ? (found as Transcript) : undefined;
}

function transcriptEvents(record: RunRecord) {
  return listIn(transcriptOf(record) ?? {}, 'events');
}

async function* transcriptSections(record: RunRecord): AsyncGenerator<Tree> {
  const run = transcriptOf(record);
  if (run) yield section(run, { id: 'run', label: 'Run transcript', scope: 'run', location: '$.transcript' });
  const stages = listIn(record, 'stages');
  let index = 0;
  for await (const stage of stages instanceof Streamed ? stages.items() : stages) {
    const { id = `stage_${index}`, node_id = '' } = asObject(stage);
    const transcript = transcriptOf(asObject(stage));
    const location = `$.stages[${index}].transcript`;
    if (transcript) yield section(transcript, { id, label: `Stage ${node_id}`, scope: 'stage', location });
    index += 1;
  }
}

function section(transcript: Transcript, place: JsonObject): Tree {
  const { summary = null, metadata = {} } = transcript;
  const lists = ['messages', 'events', 'assets'].map((name) => [name, listIn(transcript, name)]);
  return { ...place, ...Object.fromEntries(lists), metadata, summary };
}

/** Questions that people were asked, then what the transcript says of permissions. */
function permissionsOf(record: RunRecord): Tree {
  const asked = flatMapped(listIn(record, 'hitl_questions'), (question) => [
    permission('hitl_question', question, 'run.hitl_questions'),
  ]);
  const answered = flatMapped(transcriptEvents(record), (event) => {
    const { kind } = event;
    return typeof kind === 'string' && kind.startsWith('permission_')
      ? [permission(kind, event, 'run.transcript')]
      : [];
  });
  return joinedLists([asked, answered]);
}

function permission(kind: string, payload: JsonObject, source: string): JsonObject {
  const { agent = null, request_id = null } = payload;
  return { agent, kind, payload, request_id, source };
}

function replayOf(record: RunRecord): Tree {
  const transitions = listIn(record, 'transitions');
  const checkpoints = listIn(record, 'checkpoints');
  const deterministic = (list: typeof transitions, source: string) =>
    flatMapped(list, (value, index) => [{ source, index, value }]);
  const evidence = asObject(record['evidence']);
  return {
    event_log_pointers: listIn(record, 'event_log_pointers'),
    transitions,
    checkpoints,
    trace_spans:
      evidence['trace_spans'] === undefined ? listIn(record, 'trace_spans') : listIn(evidence, 'trace_spans'),
    deterministic_events: joinedLists([
      deterministic(transitions, 'run.transitions'),
      deterministic(checkpoints, 'run.checkpoints'),
    ]),
    verification_outcomes: flatMapped(listIn(record, 'stages'), verificationOf),
    replay_fixture: record['replay_fixture'] ?? null,
    run_record: record,
    ...(record['observability'] ? { observability: record['observability'] } : {}),
    ...(record[WORKER_SNAPSHOTS] === undefined ? {} : { [WORKER_SNAPSHOTS]: record[WORKER_SNAPSHOTS] }),
  };
}

function verificationOf({ id = null, node_id = null, verification }: JsonObject): JsonValue[] {
  return verification === undefined || verification === null ? [] : [{ stage_id: id, node_id, verification }];
}

function attachment(artifact: JsonObject): JsonValue[] {
  return [picked(artifact, ['data', 'id', 'kind', 'metadata', 'stage', 'text', 'title']) as JsonObject];
}

/** The typed anchor of the session; older keys of the metadata say nothing any more. */
function workspaceOf(record: RunRecord): JsonObject | undefined {
  const anchor = asObject(transcriptOf(record)?.['metadata'])['workspace_anchor'];
  const parsed = workspaceAnchor.safeParse(anchor);
  if (!parsed.success) return undefined;
  return { ...(parsed.data as unknown as JsonObject), policy: 'safe_identity_only' };
}
