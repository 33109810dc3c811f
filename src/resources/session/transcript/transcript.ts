import type { JsonObject } from '#protocol/json.ts';
import type { ArtifactState } from '#resources/artifact/state.ts';
import type { Message } from '#resources/message/schema.ts';
import type { Session, SessionState } from '../schema.ts';
import { blockOfPart } from './blocks.ts';
import type { Transcript, TranscriptArchive, TranscriptAsset, TranscriptMessage } from './schema.ts';

const STATES: Readonly<Record<SessionState, Transcript['state']>> = {
  ACTIVE: 'active',
  IDLE: 'active',
  PAUSED: 'active',
  CLOSED: 'closed',
  FAILED: 'failed',
};

/** Member of the metadata of a transcript under which the gateway says where it comes from. */
const LINEAGE = 'lineage';
/** Bare hex, as Artifacts have it. */
const ADDRESS = 'sha256/';

/** Everything of a transcript but its layers. */
export type TranscriptHead = Omit<Transcript, 'messages' | 'events' | 'assets'>;

/** The head of the transcript of a Session. Its metadata is that of the Session, with the system prompt, and its lineage. */
export function transcriptHead(session: Session, turns: number, archive?: TranscriptArchive): TranscriptHead {
  const { id, root_session_id, parent_session_id, branch_id, workspace_id, last_event_id } = session;
  const lineage: JsonObject = {
    session_id: id,
    workspace_id,
    root_session_id,
    parent_session_id,
    branch_id,
    last_event_id,
    turn_count: turns,
    archived: archive === undefined ? null : archivedOf(archive),
  };
  return {
    _type: 'transcript',
    version: 2,
    id: transcriptId(id),
    state: STATES[session.state],
    summary: archive?.summary ?? null,
    metadata: { ...session.metadata, [LINEAGE]: lineage },
  };
}

/** What an auditor needs to find the archived turns again. */
function archivedOf({ turns, first_message_id, last_message_id, ...rest }: TranscriptArchive): JsonObject {
  const { through_event_id, summary_source, kept } = rest;
  return {
    turn_count: turns,
    first_message_id,
    last_message_id,
    through_event_id,
    summary_source,
    kept_message_ids: kept.map(({ message_id }) => message_id),
  };
}

/** `tr_` and the same unique part as the id of its Session. */
export function transcriptId(sessionId: string): string {
  return `tr_${sessionId.replace(/^session_/, '')}`;
}

/** The turn at a position, as a message of the transcript. */
export function transcriptMessage(message: Message, position: number): TranscriptMessage {
  const { id, role, parts, created_at, task_id, metadata } = message;
  return {
    id,
    role,
    content: parts.map(blockOfPart),
    position,
    created_at,
    task_id,
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
}

/** The descriptor of an Artifact; its bytes stay where they are. */
export function transcriptAsset({ resource, internal }: ArtifactState): TranscriptAsset {
  const { id, kind, mime_type, visibility, uri, sha256, created_at, task_id, metadata } = resource;
  const isStable = sha256 !== null && internal.closed;
  return {
    _type: 'transcript_asset',
    id,
    kind,
    mime_type,
    visibility,
    storage: {
      path: isStable ? ADDRESS + sha256 : null,
      sha256: isStable ? `sha256:${sha256}` : null,
      uri,
      size: internal.store === 'none' ? null : internal.size,
    },
    name: internal.name,
    created_at,
    task_id,
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
}
