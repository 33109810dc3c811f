import { Anchor, Badge, Card, Group, Stack, Table, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import { useCalm } from './calm.ts';
import { Ago, AsCurl, Shown, useAllEvents, useLoaded } from './data.tsx';
import { briefly, State } from './words.tsx';

const RUNNING = ['SUBMITTED', 'WORKING'];
const WAITING = ['INPUT_REQUIRED', 'AUTH_REQUIRED'];

export default function Overview() {
  const tasks = useLoaded(
    async (client) => (await client.get('/v1/tasks', { params: { query: { limit: 50 } } })).data,
  );
  const agents = useLoaded(
    async (client) => (await client.get('/v1/agents', { params: { query: { limit: 100 } } })).data,
  );
  const sessions = useLoaded(
    async (client) => (await client.get('/v1/sessions', { params: { query: { limit: 10 } } })).data,
  );
  const ready = useLoaded((client) => client.get('/ready'));
  const refresh = useCalm(() => {
    tasks.reload();
    sessions.reload();
  });
  useAllEvents(({ event }) => {
    if (/^(task|session|tool)\./.test(event)) refresh();
  });
  const of = (states: readonly string[]) =>
    (tasks.value ?? []).filter(({ status }) => states.includes(status)).length;
  const ended = (tasks.value ?? []).filter(({ status }) =>
    ['COMPLETED', 'FAILED', 'CANCELED'].includes(status),
  );
  const failed = ended.filter(({ status }) => status === 'FAILED').length;
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
        <Figure label="Running" value={of(RUNNING)} />
        <Figure label="Wait for a person" value={of(WAITING)} to="/approvals" />
        <Figure label="Failed of the last 50" value={failed} />
        <Figure label="Agents" value={agents.value?.length ?? 0} to="/agents" />
      </div>
      <Title order={2} size="h4">
        Newest tasks <AsCurl path="/v1/tasks?limit=50" />
      </Title>
      <Shown
        of={tasks}
        empty="No task yet. Send a message in a new session, or: harn-gateway task &quot;stream 3&quot; --follow"
      >
        {(list) => (
          <Table.ScrollContainer minWidth={500}>
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>State</Table.Th>
                  <Table.Th>Asked</Table.Th>
                  <Table.Th>Agent</Table.Th>
                  <Table.Th>When</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {list.slice(0, 15).map((task) => (
                  <Table.Tr key={task.id}>
                    <Table.Td>
                      <State of={task.status} />
                    </Table.Td>
                    <Table.Td>
                      <Anchor component={Link} href={`/sessions/${task.session_id}`} className="said">
                        {briefly(task.input) || task.id}
                      </Anchor>
                      {task.failure !== null && (
                        <Text size="sm" c="red">
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
          </Table.ScrollContainer>
        )}
      </Shown>
      <Title order={2} size="h4">
        Newest sessions <AsCurl path="/v1/sessions?limit=10" />
      </Title>
      <Shown of={sessions} empty="No session yet.">
        {(list) => (
          <Stack gap={4}>
            {list.map(({ id, state, summary, updated_at }) => (
              <Group key={id} gap="xs">
                <State of={state} />
                <Anchor component={Link} href={`/sessions/${id}`} className="mono">
                  {id}
                </Anchor>
                <Text size="sm">{summary}</Text>
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

function Figure({ label, value, to }: { label: string; value: number; to?: string }) {
  const body = (
    <>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text size="xl" fw={700}>
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
