import type { SessionUpdate } from '@agentclientprotocol/sdk';

export type UpdateKind = SessionUpdate['sessionUpdate'];

/** What a `session/update` is to a Session, and what its Harn form loses. */
export interface UpdateRow {
  /** `said`: a piece of a message. `tool`: the agent's own tool. `turn`, `session`: what the update is about. */
  readonly home: 'said' | 'tool' | 'turn' | 'session';
  /** Whose words the pieces are. */
  readonly voice?: 'agent' | 'thought' | 'user';
  readonly visibility: 'public' | 'internal';
  /** Also kept in the metadata of the Task, under `acp`. */
  readonly onTask?: true;
  /** Members without which clients drop the update. Spec: the JSON Schema of ACP v1. */
  readonly requires: readonly string[];
  readonly loses?: string;
}

/** Every update is logged as it came; `loses` is about the Harn events made of it. Spec: ACP v1, `session/update`. */
export const UPDATE_KINDS = {
  user_message_chunk: {
    home: 'said',
    voice: 'user',
    visibility: 'public',
    requires: ['content'],
    loses: 'the agent repeats what the gateway sent: it is logged, and no Message is made of it',
  },
  agent_message_chunk: {
    home: 'said',
    voice: 'agent',
    visibility: 'public',
    requires: ['content'],
    loses: 'where one piece ended and the next began',
  },
  agent_thought_chunk: {
    home: 'said',
    voice: 'thought',
    visibility: 'internal',
    requires: ['content'],
    loses: 'where one piece ended and the next began; thoughts are internal',
  },
  tool_call: {
    home: 'tool',
    visibility: 'public',
    requires: ['toolCallId', 'title'],
    loses: 'kind, locations and title: they are in the update only',
  },
  tool_call_update: {
    home: 'tool',
    visibility: 'public',
    requires: ['toolCallId'],
    loses: 'steps between the begin and the end of the call',
  },
  plan: { home: 'turn', visibility: 'public', requires: ['entries'], onTask: true },
  available_commands_update: { home: 'session', visibility: 'public', requires: ['availableCommands'] },
  current_mode_update: { home: 'session', visibility: 'public', requires: ['currentModeId'] },
  config_option_update: { home: 'session', visibility: 'public', requires: ['configOptions'] },
  session_info_update: { home: 'session', visibility: 'public', requires: [] },
  usage_update: { home: 'session', visibility: 'public', requires: ['used', 'size'], onTask: true },
  notice: { home: 'turn', visibility: 'public', requires: ['severity', 'title'] },
  compaction_update: { home: 'turn', visibility: 'public', requires: ['compactionId', 'status'] },
  compaction_summary_chunk: { home: 'turn', visibility: 'public', requires: ['compactionId', 'content'] },
} as const satisfies Record<UpdateKind, UpdateRow>;

/** Kinds of later versions are kept as they came, about the turn. */
const UNKNOWN: UpdateRow = { home: 'turn', visibility: 'public', requires: [] };

export function updateRow(kind: string): UpdateRow {
  return Object.hasOwn(UPDATE_KINDS, kind) ? UPDATE_KINDS[kind as UpdateKind] : UNKNOWN;
}
