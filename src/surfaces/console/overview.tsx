import { Anchor, Badge, Card, Group, Stack, Table, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import type { HarnClient } from '../../client/index.ts';
import { useCalm } from './calm.ts';
import { Ago, AsCurl, everything, pageAt, type Schemas, Shown, useAllEvents, useLoaded } from './data.tsx';
import { Health } from './health.tsx';
import { useQuestions } from './questions.tsx';
import { briefly, State, Wide } from './words.tsx';

type Task = Schemas['Task'];

/** How many of the newest tasks the figures are of. */
const NEWEST = 100;

/** Figures of a busy gateway are read again at most this often. */
const FIGURES_MS = 2_000;

export default function Overview() {
  const tasks = useLoaded(
    async (client) => (await client.get('/v1/tasks', { params: { query: { limit: NEWEST } } })).data,
  );
  const working = useLoaded((client) => countOf(client, 'WORKING'));
  const queued = useLoaded((client) => countOf(client, 'SUBMITTED'));
  const agents = useLoaded((client) =>
    everything((cursor) => client.get('/v1/agents', { params: { query: pageAt(cursor) } })),
  );
  const sessions = useLoaded(
    async (client) => (await client.get('/v1/sessions', { params: { query: { limit: 10 } } })).data,
  );
  const ready = useLoaded((client) => client.get('/ready'));
  const questions = useQuestions();
  const refresh = useCalm(() => {
    for (const each of [tasks, working, queued, sessions]) each.reload();
  }, FIGURES_MS);
  const refreshAgents = useCalm(() => {
    for (const each of [agents, ready]) each.reload();
  }, FIGURES_MS);
  useAllEvents(({ event }) => {
    if (/^(task|session)\./.test(event)) refresh();
    if (/^task\.(?:completed|failed)$|halt_|skill_definition/.test(event)) refreshAgents();
  });
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1} size="h2">
          Overview
        </Title>
        <Badge color={ready.fault === undefined ? 'green' : 'red'}>
          {ready.fault === undefined ? 'ready' : 'not ready'}
        </Badge>
      </Group>
      <div className="figures">
        <Figure label="Running" value={working.value ?? '…'} />
        <Figure label="Queued" value={queued.value ?? '…'} />
        <Figure label="Need a person" value={String(questions.list.length)} to="/approvals" />
        <Errors of={tasks.value ?? []} />
      </div>
      {questions.list.length > 0 && <NeedsPerson of={questions.list} />}
      <Title order={2} size="h4">
        Agents and tools <AsCurl path="/v1/agents" />
      </Title>
      <Shown
        of={agents}
        empty="No agent yet: add one under upstreams in gateway.yaml and run harn-gateway reload."
      >
        {(list) => <AgentRows of={list} tasks={tasks.value ?? []} />}
      </Shown>
      <Title order={2} size="h4">
        Newest tasks <AsCurl path={`/v1/tasks?limit=${NEWEST}`} />
      </Title>
      <Shown
        of={tasks}
        empty="No task yet. Send a message in a new session, or: harn-gateway task &quot;stream 3&quot; --follow"
      >
        {(list) => <TaskRows of={list.slice(0, 15)} />}
      </Shown>
      <Title order={2} size="h4">
        Newest sessions <AsCurl path="/v1/sessions?limit=10" />
      </Title>
      <Shown of={sessions} empty="No session yet: begin one on the page Sessions.">
        {(list) => (
          <Stack gap={4}>
            {list.map(({ id, state, summary, updated_at }) => (
              <Group key={id} gap="xs">
                <State of={state} />
                <Anchor component={Link} href={`/sessions/${id}`} className="mono">
                  {id}
                </Anchor>
                <Text size="sm" className="said">
                  {summary}
                </Text>
                <Text size="sm" c="dimmed">
                  <Ago at={updated_at} />
                </Text>
              </Group>
            ))}
          </Stack>
        )}
      </Shown>
    </Stack>
  );
}

/** As many as one page has; of more, that there are more. */
async function countOf(client: HarnClient, status: 'WORKING' | 'SUBMITTED'): Promise<string> {
  const { data, has_more } = await client.get('/v1/tasks', { params: { query: { limit: NEWEST, status } } });
  return has_more ? `${data.length}+` : String(data.length);
}

const isEnded = ({ status }: Task) => ['COMPLETED', 'FAILED', 'CANCELED'].includes(status);
const isFailed = ({ status }: Task) => status === 'FAILED';

/** The share of failures among the newest tasks that have ended. */
function Errors({ of }: { of: readonly Task[] }) {
  const ended = of.filter(isEnded);
  const failed = ended.filter(isFailed).length;
  const rate = ended.length === 0 ? 0 : Math.round((100 * failed) / ended.length);
  return (
    <Figure
      label={`Errors: ${failed} of the last ${ended.length} that ended`}
      value={`${rate} %`}
      isBad={failed > 0}
    />
  );
}

/** What waits longest comes first. */
function NeedsPerson({ of }: { of: readonly Schemas['PermissionRequest'][] }) {
  return (
    <Card withBorder component="section" aria-label="Needs a person">
      <Stack gap={4}>
        <Title order={2} size="h4">
          Needs a person
        </Title>
        {of.slice(0, 5).map(({ id, request, session_id, created_at }) => (
          <Group key={id} gap="xs">
            <Badge color="yellow" variant="light" tt="none">
              {request.kind}
            </Badge>
            <Anchor
              component={Link}
              href={session_id === null ? '/approvals' : `/sessions/${session_id}`}
              className="said"
            >
              {request.message}
            </Anchor>
            <Text size="sm" c="dimmed">
              <Ago at={created_at} />
            </Text>
          </Group>
        ))}
        {of.length > 5 && (
          <Anchor component={Link} href="/approvals" size="sm">
            and {of.length - 5} more
          </Anchor>
        )}
      </Stack>
    </Card>
  );
}

function AgentRows({ of, tasks }: { of: readonly Schemas['Agent'][]; tasks: readonly Task[] }) {
  return (
    <Wide width={500}>
      <Table aria-label="Agents and tools">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Health</Table.Th>
            <Table.Th>Route</Table.Th>
            <Table.Th>Name</Table.Th>
            <Table.Th>Of the newest tasks</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {of.map((agent) => {
            const own = tasks.filter(({ assigned_agent_id }) => assigned_agent_id === agent.route);
            const failed = own.filter(isFailed).length;
            return (
              <Table.Tr key={agent.id}>
                <Table.Td>
                  <Health of={agent} />
                </Table.Td>
                <Table.Td>
                  <Anchor component={Link} href="/agents" className="mono">
                    {agent.route}
                  </Anchor>
                </Table.Td>
                <Table.Td className="said">{agent.name ?? '-'}</Table.Td>
                <Table.Td>
                  {own.length}
                  {failed > 0 && `, ${failed} failed`}
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Wide>
  );
}

/** Tasks as rows that lead to their sessions. */
export function TaskRows({ of }: { of: readonly Task[] }) {
  return (
    <Wide width={500}>
      <Table aria-label="Tasks">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>State</Table.Th>
            <Table.Th>Asked</Table.Th>
            <Table.Th>Agent</Table.Th>
            <Table.Th>When</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {of.map((task) => (
            <Table.Tr key={task.id}>
              <Table.Td>
                <State of={task.status} />
              </Table.Td>
              <Table.Td>
                <Anchor component={Link} href={`/sessions/${task.session_id}`} size="sm" className="said">
                  {briefly(task.input) || task.id}
                </Anchor>
                {task.failure !== null && (
                  <Text size="sm" className="said bad">
                    {task.failure.message}
                  </Text>
                )}
              </Table.Td>
              <Table.Td>{task.assigned_agent_id ?? '-'}</Table.Td>
              <Table.Td>
                <Ago at={task.created_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Wide>
  );
}

function Figure({
  label,
  value,
  to,
  isBad = false,
}: {
  label: string;
  value: string;
  to?: string;
  isBad?: boolean;
}) {
  const body = (
    <>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text size="xl" fw={700} {...(isBad ? { className: 'bad' } : {})}>
        {value}
      </Text>
    </>
  );
  if (to === undefined) return <Card withBorder>{body}</Card>;
  return (
    <Card withBorder component={Link} href={to}>
      {body}
    </Card>
  );
}
