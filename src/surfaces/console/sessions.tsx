import { Anchor, Button, Group, Select, Stack, Table, Tabs, TextInput, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { HarnClient } from '../../client/index.ts';
import { useCalm } from './calm.ts';
import {
  Ago,
  AsCurl,
  everything,
  Fault,
  pageAt,
  type Schemas,
  Shown,
  useAccount,
  useAction,
  useAllEvents,
  useLoaded,
} from './data.tsx';
import { TaskRows } from './overview.tsx';
import { Lacking, useMay } from './rights.tsx';
import { briefly, State, Wide } from './words.tsx';

export default function Sessions() {
  const { client } = useAccount();
  const [, go] = useLocation();
  const may = useMay();
  const { fault, isBusy, act } = useAction();
  const read = async () =>
    (await client.get('/v1/workspaces', { params: { query: { limit: 200 } } })).data.map(({ id }) => id);
  const workspaces = useLoaded(read);
  const ids = workspaces.value ?? [];
  const begin = () =>
    act(async () => {
      // Whoever is quick has not waited for the list.
      const [first] = workspaces.value ?? (await read());
      if (first === undefined) throw new Error('You see no workspace. Ask your operator for one.');
      const { id } = await client.post('/v1/sessions', { body: { workspace_id: first } });
      go(`/sessions/${id}`);
    });
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1} size="h2">
          Sessions
        </Title>
        {may('sessions:write') ? (
          <Button loading={isBusy} onClick={() => void begin()}>
            New session
          </Button>
        ) : (
          <Lacking scope="sessions:write" what="begin one" />
        )}
      </Group>
      {fault !== undefined && <Fault of={fault} />}
      <Tabs defaultValue="sessions" keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="sessions">Sessions</Tabs.Tab>
          <Tabs.Tab value="tasks">Tasks</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="sessions" pt="sm">
          <AllSessions workspaces={ids} />
        </Tabs.Panel>
        <Tabs.Panel value="tasks" pt="sm">
          <AllTasks workspaces={ids} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

const PAGE = 50;

type Read<Item> = (query: {
  limit: number;
  cursor?: string;
}) => Promise<{ data: Item[]; next_cursor: string | null }>;

/** As many pages of a list as were asked for, read again whenever something happens. */
function usePages<Item>(read: (client: HarnClient) => Read<Item>, keys: readonly unknown[]) {
  const [pages, setPages] = useState(1);
  const found = useLoaded(
    async (client) => {
      const list: Item[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < pages; page += 1) {
        const { data, next_cursor } = await read(client)(pageAt(cursor, PAGE));
        list.push(...data);
        cursor = next_cursor ?? undefined;
        if (cursor === undefined) break;
      }
      return { list, hasMore: cursor !== undefined };
    },
    [pages, ...keys],
  );
  useAllEvents(useCalm(found.reload));
  return { found, more: () => setPages((now) => now + 1) };
}

const SESSION_STATES = ['ACTIVE', 'IDLE', 'PAUSED', 'CLOSED', 'FAILED'];

const has = (words: string, text: string) => words.toLowerCase().includes(text.trim().toLowerCase());

function AllSessions({ workspaces }: { workspaces: readonly string[] }) {
  const may = useMay();
  const [state, setState] = useState<string | null>(null);
  const [workspace, setWorkspace] = useState<string | null>(null);
  const [text, setText] = useState('');
  const of = workspace === null ? {} : { workspace_id: workspace };
  const { found, more } = usePages<Schemas['Session']>(
    (client) => (page) => client.get('/v1/sessions', { params: { query: { ...page, ...of } } }),
    [workspace],
  );
  const path = workspace === null ? '/v1/sessions' : `/v1/sessions?workspace_id=${workspace}`;
  return (
    <Stack>
      <Filters text={text} setText={setText} hint="Id, summary or workspace">
        <Choice label="State" none="Every state" data={SESSION_STATES} value={state} onChange={setState} />
        <Choice
          label="Workspace"
          none="Every workspace"
          data={workspaces}
          value={workspace}
          onChange={setWorkspace}
        />
        <AsCurl path={path} />
      </Filters>
      <Shown
        of={found}
        isEmpty={({ list }) => list.length === 0}
        empty={may('sessions:write') ? 'No session yet: begin one above.' : 'No session yet.'}
      >
        {({ list, hasMore }) => (
          <>
            <Wide width={500}>
              <Table highlightOnHover aria-label="Sessions">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>State</Table.Th>
                    <Table.Th>Session</Table.Th>
                    <Table.Th>Workspace</Table.Th>
                    <Table.Th>Changed</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {list
                    .filter((one) => state === null || one.state === state)
                    .filter((one) => has(`${one.id} ${one.summary ?? ''} ${one.workspace_id}`, text))
                    .map(({ id, state: now, summary, workspace_id, updated_at }) => (
                      <Table.Tr key={id}>
                        <Table.Td>
                          <State of={now} />
                        </Table.Td>
                        <Table.Td className="said">
                          <Anchor component={Link} href={`/sessions/${id}`} className="mono">
                            {id}
                          </Anchor>{' '}
                          {summary}
                        </Table.Td>
                        <Table.Td>{workspace_id}</Table.Td>
                        <Table.Td>
                          <Ago at={updated_at} />
                        </Table.Td>
                      </Table.Tr>
                    ))}
                </Table.Tbody>
              </Table>
            </Wide>
            <More isThere={hasMore} onMore={more} />
          </>
        )}
      </Shown>
    </Stack>
  );
}

type TaskStatus = Schemas['Task']['status'];
const TASK_STATES: TaskStatus[] = [
  'SUBMITTED',
  'WORKING',
  'INPUT_REQUIRED',
  'AUTH_REQUIRED',
  'COMPLETED',
  'FAILED',
  'CANCELED',
];

/** Tasks of all sessions; state, agent and workspace are chosen by the gateway, words among what it gave. */
function AllTasks({ workspaces }: { workspaces: readonly string[] }) {
  const [status, setStatus] = useState<string | null>(null);
  const [route, setRoute] = useState<string | null>(null);
  const [workspace, setWorkspace] = useState<string | null>(null);
  const [text, setText] = useState('');
  const agents = useLoaded((client) =>
    everything((cursor) => client.get('/v1/agents', { params: { query: pageAt(cursor) } })),
  );
  const of = {
    ...(status === null ? {} : { status: status as TaskStatus }),
    ...(route === null ? {} : { route }),
    ...(workspace === null ? {} : { workspace_id: workspace }),
  };
  const { found, more } = usePages<Schemas['Task']>(
    (client) => (page) => client.get('/v1/tasks', { params: { query: { ...page, ...of } } }),
    [status, route, workspace],
  );
  const query = new URLSearchParams(of).toString();
  return (
    <Stack>
      <Filters text={text} setText={setText} hint="Id, input or failure">
        <Choice label="State" none="Every state" data={TASK_STATES} value={status} onChange={setStatus} />
        <Choice
          label="Agent"
          none="Every agent"
          data={agents.value?.map((agent) => agent.route) ?? []}
          value={route}
          onChange={setRoute}
        />
        <Choice
          label="Workspace"
          none="Every workspace"
          data={workspaces}
          value={workspace}
          onChange={setWorkspace}
        />
        <AsCurl path={query === '' ? '/v1/tasks' : `/v1/tasks?${query}`} />
      </Filters>
      <Shown
        of={found}
        isEmpty={({ list }) => list.length === 0}
        empty={query === '' ? 'No task yet: send a message in a session.' : 'No task is like that.'}
      >
        {({ list, hasMore }) => (
          <>
            <TaskRows
              of={list.filter(({ id, input, failure }) =>
                has(`${id} ${briefly(input)} ${failure?.message ?? ''}`, text),
              )}
            />
            <More isThere={hasMore} onMore={more} />
          </>
        )}
      </Shown>
    </Stack>
  );
}

function Filters({
  text,
  setText,
  hint,
  children,
}: {
  text: string;
  setText: (text: string) => void;
  hint: string;
  children: ReactNode;
}) {
  return (
    <Group>
      <TextInput
        aria-label="Search"
        placeholder={hint}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      {children}
    </Group>
  );
}

function Choice({
  label,
  none,
  data,
  value,
  onChange,
}: {
  label: string;
  none: string;
  data: readonly string[];
  value: string | null;
  onChange: (value: string | null) => void;
}) {
  return (
    <Select
      aria-label={label}
      placeholder={none}
      data={[...data]}
      value={value}
      onChange={onChange}
      clearable
    />
  );
}

function More({ isThere, onMore }: { isThere: boolean; onMore: () => void }) {
  if (!isThere) return null;
  return (
    <Button variant="default" onClick={onMore}>
      Older ones
    </Button>
  );
}
