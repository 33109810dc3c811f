import {
  Alert,
  Anchor,
  Badge,
  Button,
  Code,
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
import {
  Copied,
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
import { curlOf, type Frame, send, type Wire, wiresOf } from './over.ts';
import { useMay } from './rights.tsx';
import { isToolServer } from './words.tsx';

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
    return [...agents.filter(({ route }) => !isToolServer(route)).map(ofAgent), ...skills.flatMap(ofSkill)];
  });
  const target = targets.value?.find((one) => one.route === chosen) ?? targets.value?.[0];
  return (
    <Stack>
      <Title order={1} size="h2">
        Playground
      </Title>
      <Text size="sm" c="dimmed" maw="46rem">
        Send one message to an agent, or call one tool, over the protocol that you choose: the request is
        shown as it is sent, and what comes back frame by frame.
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

/** A name that no other message and no other page has. */
const fresh = (what: string) =>
  `${what}-${Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;

function Try({ target }: { target: Target }) {
  const account = useAccount();
  const may = useMay();
  const { fault, isBusy, act } = useAction();
  const [text, setText] = useState('');
  const [filled, setFilled] = useState<Filled>(blank(target.schema));
  const [id, setId] = useState(() => fresh('message'));
  const [session] = useState(() => fresh('playground'));
  const [protocol, setProtocol] = useState<string | null>('REST');
  const [frames, setFrames] = useState<readonly Frame[]>([]);
  const gaps = target.isTool ? gapsOf(target.schema, filled) : text.trim() === '' ? ['the message'] : [];
  const workspaces = useLoaded(async (client) => (await client.get('/v1/workspaces')).data);
  const { route, isTool } = target;
  const workspace = workspaces.value?.[0]?.id ?? 'workspace_default';
  const isPlaced = workspaces.value !== undefined || workspaces.fault !== undefined;
  const wires = wiresOf({ route, isTool, text, values: filled.values, id, session, workspace });
  const wire = wires.find((one) => one.protocol === protocol) ?? wires[0];
  const tell = (frame: Frame) => setFrames((before) => [...before, frame]);
  const run = () =>
    act(async () => {
      if (wire === undefined) return;
      setFrames([]);
      setId(fresh('message'));
      let task: string | undefined;
      await send(wire, account, (frame) => {
        task ??= taskOf(frame);
        tell(frame);
      });
      if (wire.protocol !== 'REST' || task === undefined) return;
      const params = { path: { task_id: task } };
      const events = account.client.events('/v1/tasks/{task_id}/stream', { params, until: isQuestion });
      for await (const value of events) tell({ way: 'came', value });
    });
  if (!may('tasks:write') || !may('sessions:write'))
    return (
      <Alert color="yellow">
        You may not send tasks: your key lacks the scopes sessions:write and tasks:write.
      </Alert>
    );
  const at = sessionIn(frames);
  return (
    <Stack>
      <Text size="sm" className="said" lineClamp={4}>
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
        <Button loading={isBusy} disabled={gaps.length > 0 || !isPlaced} onClick={() => void run()}>
          Send
        </Button>
        {gaps.length > 0 && (
          <Text size="sm" c="dimmed">
            Still to fill in: {gaps.join(', ')}
          </Text>
        )}
        {at !== undefined && (
          <Anchor component={Link} href={`/sessions/${at}`} size="sm">
            Open the session
          </Anchor>
        )}
      </Group>
      {fault !== undefined && <Fault of={fault} />}
      <Requests wires={wires} protocol={wire?.protocol ?? 'REST'} onChoose={setProtocol} />
      {frames.length > 0 && <Frames of={frames} isBusy={isBusy} />}
    </Stack>
  );
}

/** A task that waits for a person goes on in its session. */
const isQuestion = ({ event }: { event: string }) =>
  event === 'task.input_required' || event === 'task.auth_required';

function taskOf({ way, value }: Frame): string | undefined {
  const { object, id } = (value ?? {}) as { object?: string; id?: string };
  return way === 'came' && object === 'task' ? id : undefined;
}

/** The Session that the frames are of: every protocol names it somewhere. */
function sessionIn(frames: readonly Frame[]): string | undefined {
  return /"(session_[0-9A-Z]{26})"/.exec(JSON.stringify(frames))?.[1];
}

/** The same message over each protocol; the one that is shown is the one that is sent. */
function Requests({
  wires,
  protocol,
  onChoose,
}: {
  wires: readonly Wire[];
  protocol: string;
  onChoose: (protocol: string | null) => void;
}) {
  return (
    <Tabs value={protocol} onChange={onChoose} keepMounted={false} aria-label="Request">
      <Tabs.List>
        {wires.map((wire) => (
          <Tabs.Tab key={wire.protocol} value={wire.protocol}>
            {wire.protocol}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {wires.map((wire) => (
        <Tabs.Panel key={wire.protocol} value={wire.protocol} pt="xs">
          <Stack gap={4}>
            <Group gap="xs">
              <Code className="said">{lineOf(wire)}</Code>
              <Copied
                label={wire.protocol === 'ACP' ? 'Copy the messages' : 'Copy as curl'}
                text={curlOf(wire) ?? JSON.stringify(wire.body)}
                title={lineOf(wire)}
              />
            </Group>
            {Object.entries(wire.headers).map(([name, value]) => (
              <Text key={name} className="mono said" c="dimmed">
                {name}: {value}
              </Text>
            ))}
            <Json value={wire.body} />
          </Stack>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

function lineOf({ protocol, path }: Wire): string {
  const { origin } = window.location;
  return protocol === 'ACP' ? `${origin.replace(/^http/, 'ws')}${path}` : `POST ${origin}${path}`;
}

/** What went and what came, one after the other. */
function Frames({ of, isBusy }: { of: readonly Frame[]; isBusy: boolean }) {
  return (
    <Stack gap={4} component="section" aria-label="Frames">
      <Group gap="xs">
        <Title order={2} size="h4">
          What came back
        </Title>
        <Text size="sm" c="dimmed" role="status">
          {isBusy ? 'under way' : `done, ${of.length} frames`}
        </Text>
      </Group>
      {of.map(({ way, value }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: frames never change their place
        <details key={at}>
          <summary className="mono">
            <Badge size="sm" variant="light" color={way === 'sent' ? 'gray' : 'blue'} tt="none">
              {way}
            </Badge>{' '}
            <span>{nameOf(value)}</span>
          </summary>
          <Json value={value} />
        </details>
      ))}
    </Stack>
  );
}

interface Named {
  event?: string;
  method?: string;
  object?: string;
  params?: { update?: { sessionUpdate?: string } };
  result?: Record<string, unknown> & { stopReason?: string };
  error?: { message?: string; code?: unknown };
}

/** A frame in a word or two of its own protocol. */
function nameOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(nameOf).join(', ');
  if (typeof value !== 'object' || value === null) return String(value).slice(0, 80);
  const { event, method, object, params, result, error } = value as Named;
  if (event !== undefined) return event;
  if (error !== undefined) return `error ${String(error.code)}: ${error.message ?? ''}`;
  if (method !== undefined) return [method, params?.update?.sessionUpdate].filter(Boolean).join(' ');
  if (result !== undefined) return `result ${result.stopReason ?? Object.keys(result).join(', ')}`;
  return object ?? 'request';
}
