import type { z } from 'zod';
import type { EventKind } from '#protocol/event-kinds.ts';
import { API_KEY_EVENTS } from './api-key/events.ts';
import { ARTIFACT_EVENTS } from './artifact/events.ts';
import { BRANCH_EVENTS } from './branch/events.ts';
import { BUNDLE_EVENTS } from './bundle/events.ts';
import { CONNECTOR_EVENTS } from './connector/events.ts';
import { HISTORY_EVENTS } from './event/events.ts';
import { MEMORY_EVENTS } from './memory/events.ts';
import { AGENT_WORDS, MESSAGE_EVENTS } from './message/events.ts';
import { APPROVAL_EVENTS, PERMISSION_EVENTS } from './permission/events.ts';
import { PERSONA_EVENTS } from './persona/events.ts';
import { POLICY_EVENTS } from './policy/events.ts';
import { PUSH_EVENTS } from './push/events.ts';
import { KEY_EVENTS, RECEIPT_EVENTS } from './receipt/events.ts';
import { REPLAY_PAYLOADS } from './replay/schema.ts';
import { SESSION_EVENTS } from './session/events.ts';
import { TRANSCRIPT_EVENTS } from './session/transcript/schema.ts';
import { TASK_EVENTS, TOOL_EVENTS } from './task/events.ts';
import { TRUST_EVENTS } from './trust/events.ts';
import { VAULT_EVENTS } from './vault/events.ts';
import { WORKSPACE_EVENTS } from './workspace/events.ts';

/** Payload schema of every kind this version emits; a test checks each emitted event against its row. */
export const EVENT_PAYLOADS = {
  ...WORKSPACE_EVENTS,
  ...SESSION_EVENTS,
  ...TRANSCRIPT_EVENTS,
  ...BRANCH_EVENTS,
  ...MESSAGE_EVENTS,
  ...TASK_EVENTS,
  ...PERMISSION_EVENTS,
  ...TOOL_EVENTS,
  ...ARTIFACT_EVENTS,
  ...PERSONA_EVENTS,
  ...VAULT_EVENTS,
  ...CONNECTOR_EVENTS,
  ...POLICY_EVENTS,
  ...MEMORY_EVENTS,
  ...RECEIPT_EVENTS,
  ...AGENT_WORDS,
  ...API_KEY_EVENTS,
  ...HISTORY_EVENTS,
  ...BUNDLE_EVENTS,
  ...KEY_EVENTS,
  ...TRUST_EVENTS,
  ...APPROVAL_EVENTS,
  ...PUSH_EVENTS,
  ...REPLAY_PAYLOADS,
} as const satisfies Partial<Record<EventKind, z.ZodType>>;

export type EmittedKind = keyof typeof EVENT_PAYLOADS;
export type PayloadOf<Kind extends EmittedKind> = z.infer<(typeof EVENT_PAYLOADS)[Kind]>;
