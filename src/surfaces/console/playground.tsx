import {
  Alert,
  Anchor,
  Button,
  Code,
  CopyButton,
  Group,
  Select,
  Stack,
  Tabs,
  Text,
  Textarea,
  Title,
} from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import type { StreamedEvent } from '../../client/index.ts';
import {
  everything,
  Fault,
  Json,
  pageAt,
  type Schemas,
  Shown,
  useAccount,
  useAction,
  useLoaded,
} from './data.tsx';
import { blank, type Filled, fieldsOf, gapsOf, SchemaForm } from './form.tsx';
import { useMay } from './rights.tsx';
import { State } from './words.tsx';

/** What can be tried: an agent takes a message, a tool takes the fields of its schema. */
interface Target {
  route: string;
  name: string;
  about: string;
  schema?: unknown;
  isTool: boolean;
}

/** Tries an agent or a tool, and shows the very request over each protocol, and what came back. */
export default function Playground({ route }: { route?: string }) {
  const [chosen, setChosen] = useState<string | null>(route ?? null);
  const targets = useLoaded(async (client) => {
    const [agents, skills] = await Promise.all([
      everything((cursor) => client.get('/v1/agents', { params: { query: pageAt(cursor) } })),
      // Tools may be hidden from who may see the agents.
      everything((cursor) => client.get('/v1/skills', { params: { query: pageAt(cursor) } })).catch(() => []),
    ]);
    return [...agents.map(ofAgent), ...skills.flatMap(ofSkill)];
  });
  const target = targets.value?.find((one) => one.route === chosen) ?? targets.value?.[0];
  return (
    <Stack>
      <Title order={1} size="h2">
        Playground
      </Title>
      <Text size="sm" c="dimmed" maw="46rem">
        Send one message to an agent, or call one tool, and see the same request as each protocol spells it.
      </Text>
      <Shown
        of={targets}
        empty="Nothing to try yet: add an agent or a tool server under upstreams in gateway.yaml."
      >
        {(list) => (
          <Select
            label="Agent or tool"
            searchable
            maw={420}
            data={list.map((one) => ({ value: one.route, label: `${one.name} (${one.route})` }))}
            value={target?.route ?? null}
            onChange={setChosen}
            allowDeselect={false}
          />
        )}
      </Shown>
      {target !== undefined && <Try key={target.route} target={target} />}
    </Stack>
  );
}

const ofAgent = ({ id, route, name, description }: Schemas['Agent']): Target => ({
  route,
  name: name ?? id,
  about: description ?? '',
  isTool: false,
});

/** Skills with a schema are tools; those of agents are words of a message. */
function ofSkill({ id, name, description, input_schema, source }: Schemas['Skill']): Target[] {
  if (input_schema === null || source === null) return [];
  return [{ route: `skill:${id}`, name, about: description, schema: input_schema, isTool: true }];
}

function Try({ target }: { target: Target }) {
  const { client } = useAccount();
  const may = useMay();
  const { fault, isBusy, act } = useAction();
  const [text, setText] = useState('');
  const [filled, setFilled] = useState<Filled>(blank(target.schema));
  const [session, setSession] = useState<string>();
  const [task, setTask] = useState<string>();
  const [events, setEvents] = useState<readonly StreamedEvent[]>([]);
  const gaps = target.isTool ? gapsOf(target.schema, filled) : text.trim() === '' ? ['the message'] : [];
  const body = bodyOf(target, text, filled.values);
  const send = () =>
    act(async () => {
      setEvents([]);
      const workspace_id = (await client.get('/v1/workspaces')).data[0]?.id;
      if (workspace_id === undefined) throw new Error('You see no workspace. Ask your operator for one.');
      const at = session ?? (await client.post('/v1/sessions', { body: { workspace_id } })).id;
      setSession(at);
      const path = '/v1/sessions/{session_id}/tasks';
      const { id } = await client.post(path, { params: { path: { session_id: at } }, body });
      setTask(id);
      const params = { path: { task_id: id } };
      for await (const event of client.events('/v1/tasks/{task_id}/stream', { params, until: isQuestion }))
        setEvents((before) => [...before, event]);
    });
  if (!may('tasks:write') || !may('sessions:write'))
    return (
      <Alert color="yellow">
        You may not send tasks: your key lacks the scopes sessions:write and tasks:write.
      </Alert>
    );
  return (
    <Stack>
      <Text size="sm" className="said">
        {target.about}
      </Text>
      {target.isTool ? (
        fieldsOf(target.schema).length === 0 ? (
          <Text c="dimmed">It takes no arguments.</Text>
        ) : (
          <SchemaForm schema={target.schema} filled={filled} onFill={setFilled} />
        )
      ) : (
        <Textarea
          label="Message"
          autosize
          minRows={2}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
      <Group>
        <Button loading={isBusy} disabled={gaps.length > 0} onClick={() => void send()}>
          Send
        </Button>
        {gaps.length > 0 && (
          <Text size="sm" c="dimmed">
            Still to fill in: {gaps.join(', ')}
          </Text>
        )}
        {session !== undefined && (
          <Anchor component={Link} href={`/sessions/${session}`} size="sm">
            Open the session
          </Anchor>
        )}
      </Group>
      {fault !== undefined && <Fault of={fault} />}
      <Requests target={target} text={text} values={filled.values} body={body} />
      {task !== undefined && <Frames events={events} />}
    </Stack>
  );
}

/** A task that waits for a person goes on in its session. */
const isQuestion = ({ event }: StreamedEvent) =>
  event === 'task.input_required' || event === 'task.auth_required';

function bodyOf(target: Target, text: string, values: object) {
  const part = target.isTool
    ? { type: 'json' as const, value: values as never, visibility: 'public' as const }
    : { type: 'text' as const, text, visibility: 'public' as const };
  return { input: { role: 'user' as const, parts: [part] }, metadata: { route: target.route } };
}

/** The same request in the words of each protocol. What a protocol has no words for is not made up. */
function Requests({
  target,
  text,
  values,
  body,
}: {
  target: Target;
  text: string;
  values: Readonly<Record<string, unknown>>;
  body: object;
}) {
  const origin = window.location.origin;
  const id = target.route.slice(target.route.indexOf(':') + 1);
  const requests: [string, string, unknown][] = [
    ['REST', `POST ${origin}/v1/sessions/$SESSION/tasks`, body],
    ...(target.isTool
      ? []
      : ([
          [
            'A2A',
            `POST ${origin}/a2a/${id}`,
            {
              jsonrpc: '2.0',
              id: 1,
              method: 'SendStreamingMessage',
              params: { message: { messageId: '$MESSAGE', role: 'ROLE_USER', parts: [{ text }] } },
            },
          ],
        ] as [string, string, unknown][])),
    [
      'MCP',
      `POST ${origin}/mcp`,
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: target.isTool
          ? { name: id, arguments: values }
          : { name: `ask_${id}`, arguments: { message: text } },
      },
    ],
    ...(target.isTool
      ? []
      : ([
          [
            'ACP',
            `${origin.replace(/^http/, 'ws')}/acp`,
            {
              jsonrpc: '2.0',
              id: 1,
              method: 'session/prompt',
              params: { sessionId: '$SESSION', prompt: [{ type: 'text', text }] },
            },
          ],
        ] as [string, string, unknown][])),
  ];
  return (
    <Tabs defaultValue="REST" keepMounted={false} aria-label="Request">
      <Tabs.List>
        {requests.map(([name]) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {requests.map(([name, line, value]) => (
        <Tabs.Panel key={name} value={name} pt="xs">
          <Group gap="xs">
            <Code className="said">{line}</Code>
            <CopyButton value={curlOf(line, value)}>
              {({ copied, copy }) => (
                <Button variant="subtle" size="compact-xs" onClick={copy}>
                  {copied ? 'Copied' : name === 'ACP' ? 'Copy the frame' : 'Copy as curl'}
                </Button>
              )}
            </CopyButton>
          </Group>
          <Json value={value} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

function curlOf(line: string, value: unknown): string {
  const text = JSON.stringify(value);
  if (!line.startsWith('POST ')) return text;
  return [
    `curl -sN "${line.slice(5)}"`,
    '-H "Authorization: Bearer $HARN_GATEWAY_KEY"',
    ...(line.includes('/v1/') ? ['-H "Harn-Agents-Protocol-Version: agents-protocol-2026-04-25"'] : []),
    ...(line.includes('/a2a') ? ['-H "A2A-Version: 1.0"'] : []),
    '-H "Content-Type: application/json" -H "Accept: application/json, text/event-stream"',
    `-d '${text.replaceAll("'", "'\\''")}'`,
  ].join(' ');
}

/** What came back, event by event. */
function Frames({ events }: { events: readonly StreamedEvent[] }) {
  const last = events.findLast(({ event }) => event.startsWith('task.'));
  const { status } = (last?.payload ?? {}) as { status?: string };
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Title order={2} size="h4">
          What came back
        </Title>
        {status !== undefined && <State of={status} />}
      </Group>
      {events.map((event) => (
        <details key={event.id}>
          <summary className="mono">{event.event}</summary>
          <Json value={event} />
        </details>
      ))}
    </Stack>
  );
}
