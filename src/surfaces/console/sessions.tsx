import { Anchor, Button, Group, Select, Stack, Table, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useCalm } from './calm.ts';
import { Ago, AsCurl, Fault, Shown, useAccount, useAction, useAllEvents, useLoaded } from './data.tsx';
import { Lacking, useMay } from './rights.tsx';
import { State } from './words.tsx';

const STATES = ['ACTIVE', 'IDLE', 'PAUSED', 'CLOSED', 'FAILED'];

export default function Sessions() {
  const { client } = useAccount();
  const [, go] = useLocation();
  const [pages, setPages] = useState(1);
  const [state, setState] = useState<string | null>(null);
  const [text, setText] = useState('');
  const may = useMay();
  const { fault, isBusy, act } = useAction();
  const sessions = useLoaded(async () => {
    const found: SessionRow[] = [];
    let cursor: string | null = null;
    for (let page = 0; page < pages; page += 1) {
      const query = { limit: 50, ...(cursor === null ? {} : { cursor }) };
      const answer: { data: SessionRow[]; next_cursor: string | null } = (await client.get('/v1/sessions', {
        params: { query },
      })) as never;
      found.push(...answer.data);
      cursor = answer.next_cursor;
      if (cursor === null) break;
    }
    return { list: found, more: cursor !== null };
  }, [pages]);
  const workspaces = useLoaded(async () => (await client.get('/v1/workspaces')).data);
  useAllEvents(useCalm(sessions.reload));
  const begin = () =>
    act(async () => {
      const [first] = workspaces.value ?? [];
      if (first === undefined) throw new Error('You see no workspace. Ask your operator for one.');
      const { id } = await client.post('/v1/sessions', { body: { workspace_id: first.id } });
      go(`/sessions/${id}`);
    });
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1} size="h2">
          Sessions <AsCurl path="/v1/sessions" />
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
      <Group>
        <TextInput
          aria-label="Search"
          placeholder="Id, summary or workspace"
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Select
          aria-label="State"
          placeholder="Every state"
          data={STATES}
          value={state}
          onChange={setState}
          clearable
        />
      </Group>
      <Shown
        of={sessions}
        isEmpty={({ list }) => list.length === 0}
        empty={may('sessions:write') ? 'No session yet: begin one above.' : 'No session yet.'}
      >
        {({ list, more }) => (
          <>
            <Table.ScrollContainer minWidth={500}>
              <Table highlightOnHover>
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
                    .filter((one) =>
                      `${one.id} ${one.summary} ${one.workspace_id}`
                        .toLowerCase()
                        .includes(text.toLowerCase()),
                    )
                    .map(({ id, state: now, summary, workspace_id, updated_at }) => (
                      <Table.Tr key={id}>
                        <Table.Td>
                          <State of={now} />
                        </Table.Td>
                        <Table.Td>
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
            </Table.ScrollContainer>
            {more && (
              <Button variant="default" onClick={() => setPages((now) => now + 1)}>
                Older ones
              </Button>
            )}
          </>
        )}
      </Shown>
    </Stack>
  );
}

interface SessionRow {
  id: string;
  state: string;
  summary: string | null;
  workspace_id: string;
  updated_at: string;
}
