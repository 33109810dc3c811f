import { TASK_STATUSES } from '#protocol/task-states.ts';
import type { Message } from '#resources/message/schema.ts';
import type { Listing } from '#resources/room.ts';
import type { Task } from './schema.ts';

export const taskListing: Listing<Task, '/v1/tasks'> = {
  description: 'List tasks, newest first, with what became of them.',
  path: '/v1/tasks',
  filters: [
    { flags: '--session <id>', description: 'only those of this session', param: 'session_id' },
    {
      flags: '--status <status>',
      description: 'only those in this state',
      param: 'status',
      choices: TASK_STATUSES,
    },
    { flags: '--route <route>', description: 'only those on this route', param: 'route' },
  ],
  columns: {
    ID: ({ id }) => id,
    STATUS: ({ status }) => status,
    CREATED: ({ created_at }) => created_at,
    AGENT: ({ assigned_agent_id }) => assigned_agent_id ?? '-',
    SESSION: ({ session_id }) => session_id,
    INPUT: ({ input }) => inputWords(input),
    FAILURE: ({ failure }) => (failure === null ? '' : failureWords(failure)),
  },
};

/** Characters of the input that a row shows. */
const SHOWN_CHARS = 60;

/** The beginning of what an agent was asked. */
export function inputWords(input: Task['input']): string {
  const said = 'parts' in input ? textsOf((input as Message).parts).join(' ') : JSON.stringify(input);
  return said.length > SHOWN_CHARS ? `${said.slice(0, SHOWN_CHARS)}...` : said;
}

/** Why a task failed, for people. */
export function failureWords({ code, message }: NonNullable<Task['failure']>): string {
  return `${code}: ${message}`;
}

export function textsOf(parts: Message['parts']): string[] {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [`[${part.type}]`]));
}
