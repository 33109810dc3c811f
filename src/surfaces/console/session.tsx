import {
  Anchor,
  Badge,
  Button,
  Card,
  Group,
  Loader,
  Menu,
  Paper,
  Stack,
  Tabs,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { HarnClient } from '../../client/index.ts';
import { Question } from './approvals.tsx';
import { useCalm } from './calm.ts';
import {
  Ago,
  AsCurl,
  everything,
  Fault,
  Json,
  pageAt,
  type Schemas,
  Shown,
  type StreamedEvent,
  useAccount,
  useAction,
  useLoaded,
  useSessionEvents,
} from './data.tsx';
import { People, peopleOf } from './people.tsx';
import { useQuestions } from './questions.tsx';
import { Lacking, useMay } from './rights.tsx';
import { Artifact, briefly, Deed, Parts, Said, State, saveJson } from './words.tsx';

const ENDED = ['COMPLETED', 'FAILED', 'CANCELED'];

/** What is beside the events of a session is read again at most this often. */
const FACTS_MS = 1_000;

/** One session: what was said, all that happened, what it cost, who is here. Live. */
export default function Session({ id }: { id: string }) {
  const { client } = useAccount();
  const may = useMay();
  const { fault, act } = useAction();
  const path = { session_id: id };
  const session = useLoaded((of) => of.get('/v1/sessions/{session_id}', { params: { path } }), [id]);
  const tasks = useLoaded(
    (of) =>
      everything((cursor) =>
        of.get('/v1/sessions/{session_id}/tasks', { params: { path, query: pageAt(cursor) } }),
      ),
    [id],
  );
  const people = useLoaded((of) => peopleOf(of, id), [id]);
  const { events, broken } = useTimeline(
    id,
    useCalm(() => {
      session.reload();
      tasks.reload();
      people.reload();
    }, FACTS_MS),
  );
  const replays = useMemo(
    () => new Set(events.filter(isReplayStart).map(({ task_id }) => task_id)),
    [events],
  );
  const questions = useQuestions(id);
  const send = (text: string) =>
    act(() =>
      client.post('/v1/sessions/{session_id}/tasks', {
        params: { path },
        body: { input: { role: 'user', parts: [{ type: 'text', text, visibility: 'public' }] } },
      }),
    );
  const isClosed = session.value?.state === 'CLOSED';
  return (
    <Stack>
      <Group justify="space-between">
        <Stack gap={0}>
          <Title order={1} size="h3" className="said">
            {session.value?.summary ?? 'Session'}
          </Title>
          <Group gap="xs">
            <Text size="sm" c="dimmed" className="mono said">
              {id}
            </Text>
            {session.value && <State of={session.value.state} />}
            <Spent session={id} ended={tasks.value?.filter(({ status }) => ENDED.includes(status)).length} />
            <AsCurl path={`/v1/sessions/${id}`} />
          </Group>
        </Stack>
        <Deeds id={id} tasks={tasks.value ?? []} act={act} />
      </Group>
      {fault !== undefined && <Fault of={fault} />}
      {broken !== undefined && <Fault of={broken} />}
      {session.fault !== undefined && <Fault of={session.fault} again={session.reload} />}
      {questions.list.map((one, at) => (
        <Question key={one.id} of={one} onAnswered={questions.reload} hasKeys={at === 0} />
      ))}
      <Tabs defaultValue="talk" keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="talk">Conversation</Tabs.Tab>
          <Tabs.Tab value="timeline">Timeline ({events.length})</Tabs.Tab>
          <Tabs.Tab value="tasks">Tasks ({tasks.value?.length ?? 0})</Tabs.Tab>
          <Tabs.Tab value="people">Who is here ({people.value?.length ?? 0})</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="talk" pt="sm">
          <Talk events={events} />
          {isClosed && <Text c="dimmed">This session is closed. Fork it to go on.</Text>}
          {!isClosed && may('tasks:write') && <Compose session={id} onSend={send} />}
          {!isClosed && !may('tasks:write') && <Lacking scope="tasks:write" what="send a message" />}
        </Tabs.Panel>
        <Tabs.Panel value="timeline" pt="sm">
          <Timeline events={events} />
        </Tabs.Panel>
        <Tabs.Panel value="tasks" pt="sm">
          <Shown of={tasks} empty="No task yet: send a message in the conversation.">
            {(list) => (
              <Stack gap={4}>
                {list.map((task) => (
                  <OneTask key={task.id} of={task} act={act} isReplay={replays.has(task.id)} />
                ))}
              </Stack>
            )}
          </Shown>
        </Tabs.Panel>
        <Tabs.Panel value="people" pt="sm">
          <People session={session.value} people={people} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

type Act = (run: () => Promise<unknown>) => Promise<boolean>;

/** What can be done with the session as a whole. */
function Deeds({ id, tasks, act }: { id: string; tasks: readonly Schemas['Task'][]; act: Act }) {
  const { client } = useAccount();
  const may = useMay();
  const [, go] = useLocation();
  const [keep, setKeep] = useState<string>();
  const params = { path: { session_id: id } };
  const running = tasks.filter(({ status }) => !ENDED.includes(status));
  const fork = () =>
    act(async () => {
      const made = await client.post('/v1/sessions/{session_id}/fork', { params, body: {} });
      go(`/sessions/${made.id}`);
    });
  const truncate = () =>
    act(async () => {
      await client.post('/v1/sessions/{session_id}/truncate', { params, body: { keep_first: Number(keep) } });
      setKeep(undefined);
    });
  const exported = (mode: 'sanitized' | 'local') =>
    act(async () =>
      saveJson(
        `${id}.bundle.json`,
        await client.post('/v1/bundles/export', { body: { session_id: id, mode } }),
      ),
    );
  return (
    <Group gap="xs">
      {may('tasks:write') &&
        running.map((task) => <Cancel key={task.id} task={task} act={act} isOnly={running.length === 1} />)}
      {may('sessions:write') && (
        <Button variant="default" size="compact-sm" onClick={() => void fork()}>
          Fork
        </Button>
      )}
      {may('sessions:write') && keep === undefined && (
        <Button variant="default" size="compact-sm" onClick={() => setKeep('1')}>
          Truncate
        </Button>
      )}
      {keep !== undefined && (
        <Group gap={4} align="end">
          <TextInput
            label="Keep the first messages"
            size="xs"
            w={150}
            inputMode="numeric"
            value={keep}
            onChange={({ currentTarget }) => setKeep(currentTarget.value.replaceAll(/\D/g, ''))}
          />
          <Button size="compact-sm" color="red" disabled={keep === ''} onClick={() => void truncate()}>
            Remove the rest
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => setKeep(undefined)}>
            Keep all
          </Button>
        </Group>
      )}
      {may('bundles:read') && (
        <Menu>
          <Menu.Target>
            <Button variant="default" size="compact-sm">
              Export
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => void exported('sanitized')}>Without secrets</Menu.Item>
            <Menu.Item onClick={() => void exported('local')}>With all that the log has</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
      <Button component={Link} href={`/receipts/${id}`} variant="default" size="compact-sm">
        Receipts
      </Button>
    </Group>
  );
}

function Cancel({ task, act, isOnly }: { task: Schemas['Task']; act: Act; isOnly: boolean }) {
  const { client } = useAccount();
  const cancel = () =>
    act(() =>
      client.post('/v1/tasks/{task_id}/cancel', { params: { path: { task_id: task.id } }, body: {} }),
    );
  return (
    <Button
      color="red"
      variant="outline"
      size="compact-sm"
      title={briefly(task.input)}
      onClick={() => void cancel()}
    >
      {isOnly ? 'Cancel' : `Cancel "${briefly(task.input).slice(0, 20)}"`}
    </Button>
  );
}

function OneTask({ of: task, act, isReplay }: { of: Schemas['Task']; act: Act; isReplay: boolean }) {
  const may = useMay();
  const isEnded = ENDED.includes(task.status);
  return (
    <Group gap="xs">
      <State of={task.status} />
      {isReplay && (
        <Badge variant="outline" tt="none">
          replay
        </Badge>
      )}
      <Text size="sm" className="said">
        {briefly(task.input) || task.id}
      </Text>
      {task.failure !== null && (
        <Text size="sm" className="said bad">
          {task.failure.message}
        </Text>
      )}
      <Text size="sm" c="dimmed">
        {task.assigned_agent_id} <Ago at={task.created_at} />
      </Text>
      {isEnded && may('tasks:replay') && !isReplay && (
        <Anchor component={Link} href={`/replay/${task.id}`} size="sm">
          Replay
        </Anchor>
      )}
      {!isEnded && may('tasks:write') && <Cancel task={task} act={act} isOnly />}
      <AsCurl path={`/v1/tasks/${task.id}`} />
    </Group>
  );
}

/** Cost and tokens of the tasks that have ended, as their receipts say them. */
function Spent({ session, ended }: { session: string; ended: number | undefined }) {
  const spent = useLoaded(
    async (client) => (ended === undefined || ended === 0 ? undefined : await spentOf(client, session)),
    [session, ended],
  );
  if (spent.value === undefined) return null;
  const { cost, currency, tokens } = spent.value;
  return (
    <Text size="sm" c="dimmed" title="Of the tasks that have ended, by their receipts">
      {cost.toFixed(cost > 0 && cost < 0.01 ? 4 : 2)} {currency} · {tokens.toLocaleString('en')} tokens
    </Text>
  );
}

interface Costs {
  cost?: { currency?: string; total?: number; provider_breakdown?: Record<string, unknown>[] };
}

async function spentOf(client: HarnClient, session_id: string) {
  const spent = { cost: 0, currency: 'USD', tokens: 0 };
  const path = { session_id };
  const tasks = await everything((cursor) =>
    client.get('/v1/sessions/{session_id}/tasks', { params: { path, query: pageAt(cursor) } }),
  );
  // A session of many tasks has many receipts; the newest say enough.
  for (const { id } of tasks.filter(({ receipt_id }) => receipt_id !== null).slice(0, 50)) {
    const { data } = await client.get('/v1/tasks/{task_id}/receipts', { params: { path: { task_id: id } } });
    for (const { wire } of data) {
      const { cost = {} } = wire.payload as unknown as Costs;
      spent.cost += cost.total ?? 0;
      spent.currency = cost.currency ?? spent.currency;
      for (const row of cost.provider_breakdown ?? [])
        for (const [name, value] of Object.entries(row))
          if (/tokens$/.test(name) && typeof value === 'number') spent.tokens += value;
    }
  }
  return spent;
}

/** All events of a session, its history first, each once. */
function useTimeline(id: string, onChange: () => void) {
  const [events, setEvents] = useState<readonly StreamedEvent[]>([]);
  const known = useRef(new Set<string>());
  const waiting = useRef<StreamedEvent[]>([]);
  const flush = useCalm(() => {
    const come = waiting.current.splice(0);
    setEvents((before) => [...before, ...come]);
    onChange();
  });
  const broken = useSessionEvents(id, (event) => {
    if (known.current.has(event.id)) return;
    known.current.add(event.id);
    waiting.current.push(event);
    flush();
  });
  return { events, broken };
}

interface Turn {
  id: string;
  who: string;
  /** The protocol that it came over, where that is known. */
  over?: string | undefined;
  at: string;
  parts: Schemas['Part'][];
  artifact?: { id: string; name: string; mime: string | undefined };
  tool?: { name: string; input: unknown; output?: unknown; status: string };
  /** A run that was made again: what came of it, and the task that it is of. */
  replay?: { verdict: string; source: string };
}

type Payload = Record<string, unknown> & {
  message?: { parts?: Schemas['Part'][]; role?: string; metadata?: Record<string, unknown> };
  parts?: Schemas['Part'][];
  artifact?: { id: string; metadata?: { name?: string }; mime_type?: string };
};

const isReplayStart = ({ event }: StreamedEvent) => event === 'replay.started';

interface ReplayEnd {
  source_task_id: string;
  verdict?: { status: string } | null;
  message?: string;
}

/** What came of a run that was made again. A replay that could not be made says why, and is no failed turn of the conversation. */
function replayTurn({ id, event, payload, created_at: at }: StreamedEvent): Turn {
  const { source_task_id: source, verdict, message } = payload as unknown as ReplayEnd;
  const words: Readonly<Record<string, string>> = {
    byte_equal: 'Every event came out as it is recorded, byte for byte.',
    diverged: 'Another run came out.',
    tamper_detected: 'The record is not what was written: nothing was run.',
  };
  const isMade = event === 'replay.completed' || verdict?.status === 'tamper_detected';
  const status = isMade ? (verdict?.status ?? 'made') : 'could_not_be_made';
  const text = message ?? words[status] ?? '';
  const parts = [{ type: 'text' as const, text, visibility: 'public' as const }];
  return { id, who: 'replay', at, parts, replay: { verdict: status, source } };
}

/** What was said, by whom; pieces of one artifact are one. */
function turnsOf(events: readonly StreamedEvent[]): Turn[] {
  const replays = new Set<string | null>();
  const turns: Turn[] = [];
  const artifacts = new Map<string, Turn>();
  const tools = new Map<string, Turn>();
  const agents = new Map<string, string>();
  for (const one of events) {
    const { id, event, created_at: at, actor, task_id } = one;
    const payload = one.payload as Payload;
    if (event === 'vendor.harn_gateway.upstream_bound' && task_id !== null)
      agents.set(task_id, String(payload['route']));
    const agent = (task_id !== null && agents.get(task_id)) || 'agent';
    if (/^(?:user|agent)\.message$/.test(event) && Array.isArray(payload.message?.parts)) {
      const { parts, metadata = {} } = payload.message;
      const isUser = event.startsWith('user');
      turns.push({ id, who: isUser ? (actor ?? 'user') : agent, over: overOf(metadata), at, parts });
    } else if (event === 'agent.reasoning_summary') {
      turns.push({ id, who: `${agent} thinks`, at, parts: textIn(payload) });
    } else if (event === 'artifact.created' && payload.artifact !== undefined) {
      const { artifact } = payload;
      const name = artifact.metadata?.name ?? String(payload['name'] ?? artifact.id);
      const turn = {
        id,
        who: agent,
        at,
        parts: payload.parts ?? [],
        artifact: { id: artifact.id, name, mime: artifact.mime_type },
      };
      turns.push(turn);
      artifacts.set(artifact.id, turn);
    } else if (event === 'artifact.updated') {
      const turn = artifacts.get(String(payload['artifact_id']));
      if (turn?.artifact === undefined) continue;
      turn.parts = joined([...(payload['append'] === true ? turn.parts : []), ...(payload.parts ?? [])]);
      if (typeof payload['mime_type'] === 'string') turn.artifact.mime = payload['mime_type'];
    } else if (/^tool\./.test(event)) addTool(turns, tools, { id, event, payload, at, agent });
    else if (event === 'replay.started') replays.add(task_id);
    else if (event === 'replay.completed' || event === 'replay.failed') turns.push(replayTurn(one));
    else if (event === 'task.failed' && !replays.has(task_id)) {
      const { failure } = payload as { failure?: { message?: string } };
      turns.push({
        id,
        who: 'failed',
        at,
        parts: [{ type: 'text', text: failure?.message ?? '', visibility: 'public' }],
      });
    } else if (event === 'task.canceled') turns.push({ id, who: 'canceled', at, parts: [] });
  }
  return turns;
}

/** One tool call with what went in and what came out, however many events tell of it. */
function addTool(
  turns: Turn[],
  tools: Map<string, Turn>,
  {
    id,
    event,
    payload,
    at,
    agent,
  }: { id: string; event: string; payload: Payload; at: string; agent: string },
): void {
  const call = (payload['tool_call'] ?? payload) as Record<string, unknown>;
  const key = String(call['tool_call_id'] ?? call['id'] ?? id);
  const status = event.slice('tool.'.length);
  const output = payload['output'] ?? payload['result'] ?? call['output'];
  const known = tools.get(key);
  if (known?.tool !== undefined) {
    known.tool.status = status;
    if (output !== undefined) known.tool.output = output;
    return;
  }
  const name = String(call['name'] ?? call['tool'] ?? 'a tool');
  const turn: Turn = {
    id,
    who: agent,
    at,
    parts: [],
    tool: { name, input: call['input'] ?? call['arguments'], output, status },
  };
  tools.set(key, turn);
  turns.push(turn);
}

/** The protocol whose words a message was in. */
function overOf(metadata: Record<string, unknown>): string | undefined {
  const found = ['a2a', 'acp', 'mcp'].find((name) => Object.hasOwn(metadata, name));
  return found?.toUpperCase();
}

function textIn(payload: Payload): Schemas['Part'][] {
  if (Array.isArray(payload.message?.parts)) return payload.message.parts;
  const text = payload['summary'] ?? payload['text'];
  return typeof text === 'string' ? [{ type: 'text', text, visibility: 'public' }] : [];
}

/** Neighbouring texts are one text. */
function joined(parts: readonly Schemas['Part'][]): Schemas['Part'][] {
  const out: Schemas['Part'][] = [];
  for (const part of parts) {
    const last = out.at(-1);
    if (last?.type === 'text' && part.type === 'text')
      out[out.length - 1] = { ...last, text: last.text + part.text };
    else out.push(part);
  }
  return out;
}

const WHO: Readonly<Record<string, string>> = { failed: 'red', canceled: 'gray' };

function Talk({ events }: { events: readonly StreamedEvent[] }) {
  const turns = useMemo(() => turnsOf(events), [events]);
  // Every session has an event of its beginning: without one its history is still to come.
  if (events.length === 0) return <Loader size="sm" aria-label="Loading" />;
  if (turns.length === 0) return <Text c="dimmed">Nothing was said yet.</Text>;
  return (
    <Rows count={turns.length} label="Conversation" size={90} keyOf={(at) => turns[at]?.id ?? at}>
      {(at) => {
        const turn = turns[at];
        return turn === undefined ? null : <OneTurn of={turn} />;
      }}
    </Rows>
  );
}

function OneTurn({ of: { who, over, at, parts, artifact, tool, replay } }: { of: Turn }) {
  const isFile = artifact?.mime !== undefined && !/^text\/|octet-stream/.test(artifact.mime);
  return (
    <Paper withBorder p="sm" mb="xs">
      <Group gap="xs" mb={4}>
        <Badge variant="light" color={WHO[who] ?? (who.includes(':') ? 'blue' : 'gray')} tt="none">
          {who}
        </Badge>
        {over !== undefined && (
          <Badge variant="outline" tt="none">
            over {over}
          </Badge>
        )}
        {artifact !== undefined && (
          <Text size="xs" c="dimmed">
            artifact
          </Text>
        )}
        {replay !== undefined && (
          <>
            <State of={replay.verdict} />
            <Anchor component={Link} href={`/replay/${replay.source}`} size="sm">
              Compare the runs
            </Anchor>
          </>
        )}
        <Text size="xs" c="dimmed">
          <Ago at={at} />
        </Text>
      </Group>
      {tool !== undefined && (
        <Stack gap={4}>
          <Text size="sm" fw={600}>
            {tool.name} <State of={tool.status} />
          </Text>
          {tool.input !== undefined && <Deed of={tool.input} />}
          {tool.output !== undefined &&
            (typeof tool.output === 'string' ? <Said text={tool.output} /> : <Json value={tool.output} />)}
        </Stack>
      )}
      {artifact !== undefined && (
        <Artifact
          id={artifact.id}
          label={artifact.name}
          mime={artifact.mime}
          isOpen={isFile && parts.length === 0}
        />
      )}
      <Parts of={parts} />
    </Paper>
  );
}

/** Rows of which only those in sight are in the page, however many there are. Stays at the end where it was at the end. */
function Rows({
  count,
  label,
  size,
  keyOf,
  children,
}: {
  count: number;
  label: string;
  size: number;
  keyOf: (at: number) => string | number;
  children: (at: number) => ReactNode;
}) {
  const box = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => size,
    getItemKey: keyOf,
    overscan: 8,
  });
  const isAtEnd = useRef(true);
  const height = rows.getTotalSize();
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows that grow as they are measured move the end too
  useEffect(() => {
    if (isAtEnd.current && count > 0) rows.scrollToIndex(count - 1, { align: 'end' });
  }, [count, height, rows]);
  const onScroll = () => {
    const { scrollTop = 0, clientHeight = 0, scrollHeight = 0 } = box.current ?? {};
    isAtEnd.current = scrollTop + clientHeight >= scrollHeight - 60;
  };
  return (
    <section
      ref={box}
      className="rows"
      onScroll={onScroll}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard (WCAG 2.1.1)
      tabIndex={0}
      data-count={count}
    >
      <div style={{ height, position: 'relative' }}>
        {rows.getVirtualItems().map((row) => (
          <div
            key={row.key}
            ref={rows.measureElement}
            data-index={row.index}
            className="row"
            style={{ transform: `translateY(${row.start}px)` }}
          >
            {children(row.index)}
          </div>
        ))}
      </div>
    </section>
  );
}

/** Every event, in order, with who and over what. */
function Timeline({ events }: { events: readonly StreamedEvent[] }) {
  const [open, setOpen] = useState<string>();
  const [words, setWords] = useState('');
  const shown = useMemo(
    () =>
      words === ''
        ? events
        : events.filter((event) =>
            `${event.event} ${gist(event)}`.toLowerCase().includes(words.toLowerCase()),
          ),
    [events, words],
  );
  return (
    <Stack gap="xs">
      <TextInput
        aria-label="Search events"
        placeholder="Kind, actor or text"
        value={words}
        onChange={({ currentTarget }) => setWords(currentTarget.value)}
      />
      <Rows count={shown.length} label="Timeline" size={30} keyOf={(at) => shown[at]?.id ?? at}>
        {(at) => {
          const event = shown[at];
          if (event === undefined) return null;
          const isOpen = open === event.id;
          return (
            <>
              <Group gap="xs" className="event">
                <Text size="xs" c="dimmed" className="mono">
                  {event.created_at.slice(11, 23)}
                </Text>
                <Button
                  variant="subtle"
                  size="compact-xs"
                  aria-expanded={isOpen}
                  color={/failed|denied/.test(event.event) ? 'red' : 'blue'}
                  onClick={() => setOpen(isOpen ? undefined : event.id)}
                >
                  {event.event.replace(/^vendor\.harn_gateway\./, 'gateway: ')}
                </Button>
                <Text size="sm" className="mono gist">
                  {gist(event)}
                </Text>
              </Group>
              {isOpen && <Json value={event} />}
            </>
          );
        }}
      </Rows>
    </Stack>
  );
}

/** What an event says, in one line. */
function gist({ payload, actor }: StreamedEvent): string {
  const { name, status, reason, failure, server, route, event } = payload as Record<string, unknown>;
  const message = (payload as Payload).message;
  const words = [
    actor,
    event,
    route,
    server,
    overOf(message?.metadata ?? {}),
    name,
    status,
    reason,
    (failure as { message?: string } | undefined)?.message,
    briefly(message ?? payload),
  ];
  return words.filter((word) => typeof word === 'string' && word !== '').join(' · ');
}

function Compose({ session, onSend }: { session: string; onSend: (text: string) => Promise<boolean> }) {
  const [text, setText] = useState('');
  const send = async () => {
    if (text.trim() === '') return;
    setText('');
    if (!(await onSend(text))) setText(text);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void send();
  };
  const body = { input: { role: 'user', parts: [{ type: 'text', text, visibility: 'public' }] } };
  return (
    <Card withBorder mt="sm">
      <Textarea
        label="Message"
        description="Enter sends, Shift and Enter make a new line."
        autosize
        minRows={2}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <Group justify="flex-end" mt="xs">
        <AsCurl method="POST" path={`/v1/sessions/${session}/tasks`} body={body} />
        <Button onClick={() => void send()}>Send</Button>
      </Group>
    </Card>
  );
}
