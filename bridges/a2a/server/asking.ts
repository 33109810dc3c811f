import type { Gateway } from '#gateway.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { ServerAgent, ServerDeps, ServerRequest } from '#protocol-server.ts';
import type { Persona } from '#resources/persona/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import type { Version } from '../../../mappings/a2a/encode-task.ts';
import { refusal } from '../../../mappings/a2a/errors-out.ts';
import { HARN_EXTENSION } from '../../../mappings/a2a/extension.ts';
import { ask } from '../../wire/gateway-calls.ts';
import { isHidden } from './faults.ts';

/** One request on its way: who asks, for which agent, in which version. */
export interface Asking {
  exchange: ServerRequest;
  to: Addressed;
  negotiated: Negotiated;
}

export const VERSION_HEADER = 'A2A-Version';
export const EXTENSIONS_HEADER = 'A2A-Extensions';
const LEGACY_EXTENSIONS_HEADER = 'X-A2A-Extensions';
const MAX_EXTENSIONS = 32;

/** What a request says about itself before its method is known. */
export interface Negotiated {
  version: Version;
  /** URIs the client asked for. */
  requested: readonly string[];
  /** The client reads the Harn extension. */
  extended: boolean;
  /** What it sends has the words of the protocol file of 0.3, and not of JSON-RPC. */
  isProto03?: boolean;
}

/**
 * Version and extensions of a request. No version is 0.3; the patch number says nothing. `of`: the only version of the place that
 * was called, which needs no word for it. Throws VersionNotSupported. Spec: A2A 1.0, 3.6.2 and 3.2.6.
 */
export function negotiate(exchange: ServerRequest, of?: Version): Negotiated {
  const version = versionOf(exchange, of);
  const name = version === '1.0' ? EXTENSIONS_HEADER : LEGACY_EXTENSIONS_HEADER;
  const header = exchange.headers[name.toLowerCase()];
  const listed = typeof header === 'string' ? header.split(',').map((uri) => uri.trim()) : [];
  const requested = [...new Set(listed.filter((uri) => uri !== ''))].slice(0, MAX_EXTENSIONS);
  return { version, requested, extended: requested.includes(HARN_EXTENSION) };
}

/** The header that names which of the extensions asked for are used. */
export function activated(
  { version, requested }: Negotiated,
  { behind }: Pick<Addressed, 'behind'>,
): string[] {
  const theirs = behind?.description?.extensions?.map(({ uri }) => uri) ?? [];
  const offered = [HARN_EXTENSION, ...theirs];
  const used = requested.filter((uri) => offered.includes(uri));
  if (used.length === 0) return [];
  return [version === '1.0' ? EXTENSIONS_HEADER : LEGACY_EXTENSIONS_HEADER, used.join(', ')];
}

const WORDS: Readonly<Record<string, Version>> = { '': '0.3', '0.3': '0.3', '1.0': '1.0' };

function versionOf({ headers, query }: ServerRequest, of: Version | undefined): Version {
  const sent = headers[VERSION_HEADER.toLowerCase()] || query[VERSION_HEADER] || of || '';
  const [, short] = /^(\d+\.\d+)(?:\.\d+)?$/.exec(String(sent).trim()) ?? [];
  const version = WORDS[short ?? String(sent).trim()];
  if (version !== undefined && version === (of ?? version)) return version;
  const offered =
    of === undefined
      ? 'Send A2A-Version: 1.0, or 0.3.'
      : `A2A ${of} is spoken here: send A2A-Version: ${of}.`;
  throw refusal('VersionNotSupported', offered, VERSION_HEADER);
}

/** The agent that a path names: one behind the gateway, or a persona in front of it. */
export interface Addressed {
  /** Segment of the path; undefined at the default endpoint. */
  segment: string | undefined;
  /** The agent that a Task is sent to; undefined for a persona, whose entry workflow decides. */
  agent: ServerAgent | undefined;
  /** The agent that works: this one, or the one that the persona names. */
  behind: ServerAgent | undefined;
  persona: Persona | undefined;
}

/** The agent of a configured id, or the default one; undefined when there is none of that name. */
function upstreamAgent(deps: ServerDeps, segment: string | undefined): ServerAgent | undefined {
  const agents = deps.agents();
  if (segment !== undefined) return agents.find(({ id }) => id === segment);
  return agents.find(({ isDefault }) => isDefault);
}

/** The agent that a path names, for this caller; a persona it may not see is unknown. */
export async function addressed(
  deps: ServerDeps,
  exchange: ServerRequest,
  segment: string | undefined,
): Promise<Addressed> {
  const agent = upstreamAgent(deps, segment);
  if (agent !== undefined) return { segment, agent, behind: agent, persona: undefined };
  if (segment === undefined) throw noAgent();
  const path = { persona_id: segment };
  const persona = await ask<Persona>(deps.gateway, 'getPersona', exchange.call({ path })).catch(
    (error: unknown) => {
      throw isHidden(error) ? noAgent() : error;
    },
  );
  const behind =
    deps.agents().find(({ route }) => route === persona.entry_workflow) ?? upstreamAgent(deps, undefined);
  return { segment, agent: undefined, behind, persona };
}

export function noAgent(): ProtocolError {
  return new ProtocolError(
    'resource_not_found',
    'No agent of this name here. GET /v1/agent-card lists the agents.',
  );
}

/** A Task of this agent, or TaskNotFound: hidden, absent and another agent's are alike. */
export async function ownTask(
  gateway: Gateway,
  { exchange, to }: Pick<Asking, 'exchange' | 'to'>,
  id: string,
): Promise<Task> {
  const call = exchange.call({ path: { task_id: id } });
  const task = await ask<Task>(gateway, 'getTask', call).catch((error: unknown) => {
    throw error instanceof ProtocolError && error.code === 'resource_not_found' ? taskNotFound() : error;
  });
  if (!isOf(task, to)) throw taskNotFound();
  return task;
}

function isOf(task: Task, { agent, persona }: Addressed): boolean {
  return persona === undefined ? task.assigned_agent_id === agent?.route : task.persona_id === persona.id;
}

function taskNotFound(): ProtocolError {
  return refusal('TaskNotFound', 'No task with this id here.', 'id');
}
