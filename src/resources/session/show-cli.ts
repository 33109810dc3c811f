import { Command } from 'commander';
import { type ClientOptions, GatewayClient, withClientOptions } from '#cli/client.ts';
import { type Piece, printJson, printLine, type Style, stateWord, visible } from '#cli/terminal.ts';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import type { Session } from './schema.ts';
import type { Transcript, TranscriptEvent } from './transcript/schema.ts';

type ShowOptions = ClientOptions & { json?: boolean };

/** `session show`: what was said and done in a session, as people read it. */
export function showCommand(): Command {
  const command = new Command('show')
    .description(
      'Print the transcript of a session for people: who said what, tool calls, artifacts, approvals.',
    )
    .argument('<id>', 'session')
    .option('--json', 'print the session and its transcript as one JSON object');
  return withClientOptions(command).action(async (id: string, { json, ...options }: ShowOptions) => {
    const client = new GatewayClient(options);
    const params = { path: { session_id: id } };
    const session = await client.api.get('/v1/sessions/{session_id}', { params });
    const transcript = await client.api.get('/v1/sessions/{session_id}/transcript', { params });
    if (json) printJson({ session, transcript });
    else for (const line of readable(session, transcript)) printLine(line);
  });
}

type Line = readonly Piece[];
const INDENT = '  ';

/** The transcript as lines: what belongs to the session, then each event that says something to a person. */
export function readable(session: Session, { summary, events }: Transcript): Line[] {
  const head: Line[] = [
    [
      ['bold', session.id],
      '  ',
      stateWord(session.state),
      `  ${session.workspace_id}  since ${session.created_at}`,
    ],
    ...(summary === null
      ? []
      : [[['dim', 'Archived turns, in short:']] as Line, ...textLines(summary, 'dim')]),
  ];
  return [...head, ...events.flatMap(linesOf)];
}

/** Members of an audit event that a person is told of; what is not of this form has no line. */
interface Told {
  role?: string;
  text?: string;
  data?: Record<string, unknown>;
  actor?: string;
}

function linesOf(event: TranscriptEvent): Line[] {
  const told = event as TranscriptEvent & Told;
  const data = told.data ?? {};
  const text = (name: string) => (typeof data[name] === 'string' ? (data[name] as string) : '');
  switch (event.kind) {
    case 'message':
      return [[], titleOf(told), ...textLines(told.text ?? '')];
    case 'reasoning':
      return textLines(`thinks: ${text('summary') || text('text')}`, 'dim');
    case 'tool':
      return toolLines(event.event, data);
    case 'artifact':
      return artifactLines(event.event, data);
    case 'permission_requested':
      return [marked('?', 'yellow', questionOf(data))];
    case 'permission_resolved':
      return [marked('!', data['status'] === 'denied' ? 'red' : 'green', answerOf(data))];
    case 'task':
      return taskLines(event, data);
    case 'compaction':
    case 'truncation':
    case 'fork':
      return [marked('·', 'dim', event.event ?? event.kind)];
    default:
      return [];
  }
}

const ROLE_STYLES: Readonly<Record<string, Style>> = { user: 'green', agent: 'cyan', assistant: 'cyan' };

function titleOf({ role = 'agent', created_at, actor }: TranscriptEvent & Told): Line {
  const by = actor === undefined ? '' : ` (${actor})`;
  return [
    ['bold', role],
    [ROLE_STYLES[role] ?? 'dim', by],
    ['dim', `  ${created_at ?? ''}`],
  ];
}

/** Text of others as lines below each other, each set in, so that none can look like a title. */
function textLines(text: string, style?: Style): Line[] {
  return visible(text)
    .split('\n')
    .map((line): Line => [INDENT, style === undefined ? line : [style, line]]);
}

function marked(mark: string, style: Style, text: string): Line {
  return [INDENT, [style, `${mark} `], text.trimEnd()];
}

function taskLines(
  { event, task_id }: TranscriptEvent & { task_id?: unknown },
  data: Record<string, unknown>,
): Line[] {
  const status = typeof data['status'] === 'string' ? data['status'] : '';
  if (event === 'task.submitted' || event === 'task.started' || status === '') return [];
  const { message } = (data['failure'] ?? {}) as { message?: unknown };
  const why = typeof message === 'string' ? `: ${message}` : '';
  return [[INDENT, ['dim', `task ${String(task_id ?? '')} `], stateWord(status), why]];
}

function toolLines(event: string | null, data: Record<string, unknown>): Line[] {
  const {
    name = '',
    withheld,
    input,
    error,
  } = data as {
    name?: string;
    withheld?: boolean;
    input?: unknown;
    error?: { message?: string };
  };
  if (event === 'tool.requested')
    return [marked('→', 'cyan', `${name} ${inShort(input)}${withheld ? ' (withheld by the policy)' : ''}`)];
  if (event === 'tool.completed') return [marked('←', 'cyan', `${name} done`)];
  if (event === 'tool.failed') return [marked('←', 'red', `${name} failed: ${error?.message ?? ''}`)];
  return [];
}

function artifactLines(event: string | null, data: Record<string, unknown>): Line[] {
  const { artifact, name, parts } = data as {
    artifact?: { id: string; mime_type: string };
    name?: string | null;
    parts?: { text?: unknown }[];
  };
  const texts = (parts ?? []).flatMap(({ text }) => (typeof text === 'string' ? [text.trimEnd()] : []));
  const title =
    event === 'artifact.created' && artifact !== undefined
      ? [marked('+', 'blue', [name ?? 'artifact', artifact.id, artifact.mime_type].join('  '))]
      : [];
  return [...title, ...texts.flatMap((text) => textLines(`${INDENT}${inShort(text)}`))];
}

function questionOf(data: Record<string, unknown>): string {
  const { permission_request: asked } = data as { permission_request?: PermissionRequest };
  return asked === undefined ? '' : `${asked.id}: ${asked.request.message}`;
}

function answerOf(data: Record<string, unknown>): string {
  const { status, response, policy } = data as {
    status?: string;
    response?: PermissionRequest['response'];
    policy?: { because: string };
  };
  const answer = response?.answer ?? response?.option_id ?? null;
  const words = [
    status ?? '',
    ...(response?.reviewer ? [`by ${response.reviewer}`] : []),
    ...(answer === null ? [] : [inShort(answer)]),
    ...(response?.reason ? [response.reason] : []),
    ...(policy === undefined ? [] : [policy.because]),
  ];
  return words.join('  ');
}

/** Characters of a value that a line shows. */
const SHOWN_CHARS = 160;

function inShort(value: unknown): string {
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}...` : text;
}
