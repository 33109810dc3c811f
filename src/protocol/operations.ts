import { z } from 'zod';
import { artifact, registerArtifactRequest } from './resources/artifact.ts';
import { discovery, harnAgentCard, health, readiness, runtimeVersion } from './resources/discovery.ts';
import { jsonObject, listOf } from './resources/envelope.ts';
import { event } from './resources/event.ts';
import { message } from './resources/message.ts';
import { outcome } from './resources/outcome.ts';
import { createSessionRequest, session, updateSessionRequest } from './resources/session.ts';
import {
  appendMessageRequest,
  appendTaskMessageRequest,
  cancelTaskRequest,
  submitTaskRequest,
  task,
} from './resources/task.ts';
import { createWorkspaceRequest, updateWorkspaceRequest, workspace } from './resources/workspace.ts';
import type { Scope } from './scopes.ts';

/**
 * One row per operation. REST routes, validation, authorization and the OpenAPI document are made from these rows.
 * `command` changes the log, `query` reads, `stream` follows, `document` describes the gateway itself.
 */
export interface OperationRow {
  kind: 'command' | 'query' | 'stream' | 'document';
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Path with `{name}` parameters, from the origin root. */
  path: string;
  tag: string;
  summary: string;
  /** What the caller must hold; `public` needs no credentials and no version header. */
  scope: Scope | 'public';
  /** Conformance level of the narrative that asks for it; `vendor` for our own routes (contract section 8). */
  level: 'core' | 'extended' | 'vendor';
  success: 200 | 201 | 202 | 204 | 503;
  query?: z.ZodObject;
  /** JSON body schema, or `bytes` for a raw body. */
  body?: z.ZodType | 'bytes';
  /** False: the body may be left out. Default true where there is a body. */
  bodyRequired?: boolean;
  response: z.ZodType | 'bytes' | 'event-stream';
}

/** limit 1..200, default 50 (contract C6). */
const limit = z.coerce.number().int().min(1).max(200).default(50);
const filter = z.string().min(1).max(200).optional();
const page = z.object({ limit, cursor: z.string().max(512).optional() });
/** `after_event_id` is normative, the other two are aliases (contract C7). */
const range = z.object({
  limit,
  after_event_id: z.string().max(64).optional(),
  cursor: z.string().max(64).optional(),
  after: z.string().max(64).optional(),
});
const eventFilters = { workspace_id: filter, session_id: filter, task_id: filter };

const rows = {
  getHealth: {
    kind: 'document',
    method: 'GET',
    path: '/health',
    tag: 'Runtime',
    summary: 'Check that the process is alive.',
    scope: 'public',
    level: 'core',
    success: 200,
    response: health,
  },
  getReadiness: {
    kind: 'document',
    method: 'GET',
    path: '/ready',
    tag: 'Runtime',
    summary: 'Check that the gateway takes new work; 503 while it verifies, is fenced or drains.',
    scope: 'public',
    level: 'vendor',
    success: 200,
    response: readiness,
  },
  getVersion: {
    kind: 'document',
    method: 'GET',
    path: '/version',
    tag: 'Runtime',
    summary: 'Read the gateway and protocol versions.',
    scope: 'public',
    level: 'core',
    success: 200,
    response: runtimeVersion,
  },
  getOpenApiDocument: {
    kind: 'document',
    method: 'GET',
    path: '/openapi.json',
    tag: 'Discovery',
    summary: 'Read this document.',
    scope: 'public',
    level: 'core',
    success: 200,
    response: jsonObject,
  },
  getProtocolDiscovery: {
    kind: 'document',
    method: 'GET',
    path: '/v1',
    tag: 'Discovery',
    summary: 'Discover protocol versions and transports.',
    scope: 'public',
    level: 'core',
    success: 200,
    response: discovery,
  },
  getAgentCard: {
    kind: 'document',
    method: 'GET',
    path: '/v1/agent-card',
    tag: 'Discovery',
    summary: 'Read the HarnAgentCard of the default agent.',
    scope: 'public',
    level: 'core',
    success: 200,
    response: harnAgentCard,
  },
  listWorkspaces: {
    kind: 'query',
    method: 'GET',
    path: '/v1/workspaces',
    tag: 'Workspaces',
    summary: 'List the Workspaces visible to the caller.',
    scope: 'workspaces:read',
    level: 'extended',
    success: 200,
    query: page,
    response: listOf(workspace),
  },
  createWorkspace: {
    kind: 'command',
    method: 'POST',
    path: '/v1/workspaces',
    tag: 'Workspaces',
    summary: 'Create a Workspace.',
    scope: 'workspaces:write',
    level: 'extended',
    success: 201,
    body: createWorkspaceRequest,
    response: workspace,
  },
  getWorkspace: {
    kind: 'query',
    method: 'GET',
    path: '/v1/workspaces/{workspace_id}',
    tag: 'Workspaces',
    summary: 'Read a Workspace.',
    scope: 'workspaces:read',
    level: 'extended',
    success: 200,
    response: workspace,
  },
  updateWorkspace: {
    kind: 'command',
    method: 'PATCH',
    path: '/v1/workspaces/{workspace_id}',
    tag: 'Workspaces',
    summary: 'Update name, capabilities, quota or metadata of a Workspace.',
    scope: 'workspaces:write',
    level: 'extended',
    success: 200,
    body: updateWorkspaceRequest,
    response: workspace,
  },
  listSessions: {
    kind: 'query',
    method: 'GET',
    path: '/v1/sessions',
    tag: 'Sessions',
    summary: 'List Sessions, newest first.',
    scope: 'sessions:read',
    level: 'core',
    success: 200,
    query: page.extend({ workspace_id: filter }),
    response: listOf(session),
  },
  createSession: {
    kind: 'command',
    method: 'POST',
    path: '/v1/sessions',
    tag: 'Sessions',
    summary: 'Create a Session in a Workspace.',
    scope: 'sessions:write',
    level: 'core',
    success: 201,
    body: createSessionRequest,
    response: session,
  },
  getSession: {
    kind: 'query',
    method: 'GET',
    path: '/v1/sessions/{session_id}',
    tag: 'Sessions',
    summary: 'Read a Session.',
    scope: 'sessions:read',
    level: 'core',
    success: 200,
    response: session,
  },
  updateSession: {
    kind: 'command',
    method: 'PATCH',
    path: '/v1/sessions/{session_id}',
    tag: 'Sessions',
    summary: 'Update summary or metadata of a Session.',
    scope: 'sessions:write',
    level: 'core',
    success: 200,
    body: updateSessionRequest,
    response: session,
  },
  closeSession: {
    kind: 'command',
    method: 'POST',
    path: '/v1/sessions/{session_id}/close',
    tag: 'Sessions',
    summary: 'Close a Session; its open Tasks are canceled.',
    scope: 'sessions:write',
    level: 'core',
    success: 200,
    response: session,
  },
  listSessionMessages: {
    kind: 'query',
    method: 'GET',
    path: '/v1/sessions/{session_id}/messages',
    tag: 'Messages',
    summary: 'List the Messages of a Session in order.',
    scope: 'messages:read',
    level: 'core',
    success: 200,
    query: page,
    response: listOf(message),
  },
  appendSessionMessage: {
    kind: 'command',
    method: 'POST',
    path: '/v1/sessions/{session_id}/messages',
    tag: 'Messages',
    summary: 'Append a Message; it precedes the next Task input.',
    scope: 'messages:write',
    level: 'core',
    success: 201,
    body: appendMessageRequest,
    response: message,
  },
  getMessage: {
    kind: 'query',
    method: 'GET',
    path: '/v1/messages/{message_id}',
    tag: 'Messages',
    summary: 'Read a Message.',
    scope: 'messages:read',
    level: 'core',
    success: 200,
    response: message,
  },
  listSessionTasks: {
    kind: 'query',
    method: 'GET',
    path: '/v1/sessions/{session_id}/tasks',
    tag: 'Tasks',
    summary: 'List the Tasks of a Session, newest first.',
    scope: 'tasks:read',
    level: 'core',
    success: 200,
    query: page,
    response: listOf(task),
  },
  submitSessionTask: {
    kind: 'command',
    method: 'POST',
    path: '/v1/sessions/{session_id}/tasks',
    tag: 'Tasks',
    summary: 'Submit a Task in a Session.',
    scope: 'tasks:write',
    level: 'core',
    success: 202,
    body: submitTaskRequest,
    response: task,
  },
  listTasks: {
    kind: 'query',
    method: 'GET',
    path: '/v1/tasks',
    tag: 'Tasks',
    summary: 'List Tasks, newest first.',
    scope: 'tasks:read',
    level: 'core',
    success: 200,
    query: page.extend({ workspace_id: filter, session_id: filter }),
    response: listOf(task),
  },
  submitTask: {
    kind: 'command',
    method: 'POST',
    path: '/v1/tasks',
    tag: 'Tasks',
    summary: 'Submit a Task to the Session named in the body.',
    scope: 'tasks:write',
    level: 'core',
    success: 202,
    body: submitTaskRequest,
    response: task,
  },
  getTask: {
    kind: 'query',
    method: 'GET',
    path: '/v1/tasks/{task_id}',
    tag: 'Tasks',
    summary: 'Read a Task.',
    scope: 'tasks:read',
    level: 'core',
    success: 200,
    response: task,
  },
  cancelTask: {
    kind: 'command',
    method: 'POST',
    path: '/v1/tasks/{task_id}/cancel',
    tag: 'Tasks',
    summary: 'Cancel a Task; forwarded to the agent with a bounded wait.',
    scope: 'tasks:write',
    level: 'core',
    success: 200,
    body: cancelTaskRequest,
    bodyRequired: false,
    response: task,
  },
  appendTaskMessage: {
    kind: 'command',
    method: 'POST',
    path: '/v1/tasks/{task_id}/messages',
    tag: 'Messages',
    summary: 'Answer a blocked Task (input) or interrupt a working one.',
    scope: 'tasks:write',
    level: 'core',
    success: 201,
    body: appendTaskMessageRequest,
    response: message,
  },
  listTaskEvents: {
    kind: 'query',
    method: 'GET',
    path: '/v1/tasks/{task_id}/events',
    tag: 'Events',
    summary: 'Read a range of the Events of a Task.',
    scope: 'events:read',
    level: 'core',
    success: 200,
    query: range,
    response: listOf(event),
  },
  streamTaskEvents: {
    kind: 'stream',
    method: 'GET',
    path: '/v1/tasks/{task_id}/stream',
    tag: 'Events',
    summary: 'Follow a Task; history first, closes after its terminal event.',
    scope: 'events:read',
    level: 'core',
    success: 200,
    response: 'event-stream',
  },
  listSessionEvents: {
    kind: 'query',
    method: 'GET',
    path: '/v1/sessions/{session_id}/events',
    tag: 'Events',
    summary: 'Read a range of the Events of a Session.',
    scope: 'events:read',
    level: 'core',
    success: 200,
    query: range,
    response: listOf(event),
  },
  streamSessionEvents: {
    kind: 'stream',
    method: 'GET',
    path: '/v1/sessions/{session_id}/events/stream',
    tag: 'Events',
    summary: 'Follow a Session; history first.',
    scope: 'events:read',
    level: 'core',
    success: 200,
    response: 'event-stream',
  },
  listEvents: {
    kind: 'query',
    method: 'GET',
    path: '/v1/events',
    tag: 'Events',
    summary: 'Read a range of all Events visible to the caller, or of one Workspace, Session or Task.',
    scope: 'events:read',
    level: 'core',
    success: 200,
    query: range.extend(eventFilters),
    response: listOf(event),
  },
  streamEvents: {
    kind: 'stream',
    method: 'GET',
    path: '/v1/events/stream',
    tag: 'Events',
    summary: 'Follow all Events visible to the caller, live from now on unless resumed.',
    scope: 'events:read',
    level: 'core',
    success: 200,
    query: z.object(eventFilters),
    response: 'event-stream',
  },
  getEvent: {
    kind: 'query',
    method: 'GET',
    path: '/v1/events/{event_id}',
    tag: 'Events',
    summary: 'Read an Event.',
    scope: 'events:read',
    level: 'core',
    success: 200,
    response: event,
  },
  listArtifacts: {
    kind: 'query',
    method: 'GET',
    path: '/v1/artifacts',
    tag: 'Artifacts',
    summary: 'List Artifacts, newest first.',
    scope: 'artifacts:read',
    level: 'core',
    success: 200,
    query: page.extend(eventFilters),
    response: listOf(artifact),
  },
  registerArtifact: {
    kind: 'command',
    method: 'POST',
    path: '/v1/artifacts',
    tag: 'Artifacts',
    summary: 'Register an Artifact; its content may follow by upload.',
    scope: 'artifacts:write',
    level: 'extended',
    success: 201,
    body: registerArtifactRequest,
    response: artifact,
  },
  getArtifact: {
    kind: 'query',
    method: 'GET',
    path: '/v1/artifacts/{artifact_id}',
    tag: 'Artifacts',
    summary: 'Read the description of an Artifact.',
    scope: 'artifacts:read',
    level: 'core',
    success: 200,
    response: artifact,
  },
  downloadArtifactContent: {
    kind: 'query',
    method: 'GET',
    path: '/v1/artifacts/{artifact_id}/content',
    tag: 'Artifacts',
    summary: 'Download the bytes of an Artifact.',
    scope: 'artifacts:read',
    level: 'core',
    success: 200,
    response: 'bytes',
  },
  uploadArtifactContent: {
    kind: 'command',
    method: 'PUT',
    path: '/v1/artifacts/{artifact_id}/content',
    tag: 'Artifacts',
    summary: 'Upload the bytes of a registered Artifact, once; checked against its sha256 when it has one.',
    scope: 'artifacts:write',
    level: 'vendor',
    success: 200,
    body: 'bytes',
    response: artifact,
  },
  listOutcomes: {
    kind: 'query',
    method: 'GET',
    path: '/v1/outcomes',
    tag: 'Outcomes',
    summary: 'List Outcomes, newest first.',
    scope: 'outcomes:read',
    level: 'core',
    success: 200,
    query: page.extend({ task_id: filter }),
    response: listOf(outcome),
  },
  getOutcome: {
    kind: 'query',
    method: 'GET',
    path: '/v1/outcomes/{outcome_id}',
    tag: 'Outcomes',
    summary: 'Read an Outcome.',
    scope: 'outcomes:read',
    level: 'core',
    success: 200,
    response: outcome,
  },
} as const satisfies Record<string, OperationRow>;

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
      : RawBody
    : undefined;
}

/** A raw body with its declared media type. */
export interface RawBody {
  bytes: Buffer;
  mimeType: string;
}

export function operation(id: OperationId): OperationRow {
  return rows[id];
}
