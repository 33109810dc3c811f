import type { JsonObject } from '#protocol/json.ts';
import { isObject, objectOf, textOf } from '#protocol/json-shape.ts';

/** What the gateway has to say to the user of a Session, by the note that it is recorded as. */
const NOTICES: Readonly<Record<string, { title: string; describe(details: JsonObject): string }>> = {
  client_directories_unused: {
    title: 'The agent works in another directory',
    describe: ({ directories }) =>
      `It does not work in ${listed(directories)}. The operator of the gateway lets it with client_cwd and client_roots of the agent.`,
  },
  between_turns_limit: {
    title: 'The agent says too much between two prompts',
    describe: ({ max_updates, max_bytes }) =>
      `The gateway keeps ${max_updates} updates or ${max_bytes} bytes of it. What the agent says now is lost; send a prompt to hear it again.`,
  },
  option_refused: {
    title: 'The agent refused what was chosen',
    describe: ({ option, value, message }) =>
      `It keeps its ${option}, and does not take ${value}: ${message}`,
  },
  session_inputs_unknown: {
    title: 'The agent takes no inputs',
    describe: ({ names }) => `It does not know session/inputs, so it works without ${listed(names)}.`,
  },
  session_inputs_refused: {
    title: 'The agent refused the inputs of this session',
    describe: ({ names, message }) => `It works without ${listed(names)}: ${message}`,
  },
  session_inputs_later: {
    title: 'Inputs have to wait',
    describe: ({ names }) =>
      `The agent finds ${listed(names)} in its environment when it is started again for this session, which cannot be done now.`,
  },
  mcp_servers_late: {
    title: 'MCP servers are not used',
    describe: ({ names }) =>
      `The agent has this session open and does not take it up again, so it cannot get these servers of the editor: ${listed(names)}. A new session can use them.`,
  },
  mcp_servers_unused: {
    title: 'MCP servers are not used',
    describe: ({ names }) =>
      `The agent takes no servers over HTTP, so it cannot use these of the editor: ${listed(names)}.`,
  },
};

/** The notice that a note of a Task is to its users; nothing for most. */
export function noticeOf({ note, details }: JsonObject): JsonObject[] {
  const row = NOTICES[textOf(note) ?? ''];
  return row === undefined ? [] : [notice(row.title, row.describe(objectOf(details)))];
}

/** Stands where retention removed the beginning of a Session. It is history, so it is no notice. */
export const HISTORY_REMOVED: JsonObject = {
  sessionUpdate: 'agent_thought_chunk',
  content: {
    type: 'text',
    text: 'Earlier updates of this session are not kept any more: the gateway keeps its history for a while only. What follows is kept.',
  },
};

export function notice(title: string, description: string): JsonObject {
  return { sessionUpdate: 'notice', severity: 'warning', title, description };
}

/** Updates that only clients take which say so. Spec: ACP v1, `clientCapabilities.session`. */
const ONLY_IF: Readonly<Record<string, 'notices' | 'compaction'>> = {
  notice: 'notices',
  compaction_update: 'compaction',
  compaction_summary_chunk: 'compaction',
};

/**
 * The update as a client takes it, undefined where it takes none. A notice is sent while it happens and is no history; who takes no
 * notices reads it among the thoughts, which nobody mistakes for the answer.
 */
export function takenBy(
  clientCapabilities: JsonObject,
  update: JsonObject,
  isLive: boolean,
): JsonObject | undefined {
  const kind = textOf(update['sessionUpdate']) ?? '';
  const needed = Object.hasOwn(ONLY_IF, kind) ? ONLY_IF[kind] : undefined;
  if (needed === undefined) return update;
  if (kind === 'notice' && !isLive) return undefined;
  if (isObject(objectOf(clientCapabilities['session'])[needed])) return update;
  return kind === 'notice' ? inWords(update) : undefined;
}

function inWords({ title, description }: JsonObject): JsonObject {
  const text = [textOf(title), textOf(description)].filter((words) => words !== undefined).join(': ');
  return { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } };
}

function listed(names: JsonObject[string] | undefined): string {
  return Array.isArray(names) ? names.join(', ') : '';
}
