import {
  Badge,
  Button,
  Card,
  Group,
  PasswordInput,
  Select,
  Stack,
  Switch,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useEffect, useState } from 'react';
import type { HarnClient } from '../../client/index.ts';
import {
  Ago,
  AsCurl,
  Fault,
  type Loaded,
  type Schemas,
  Shown,
  useAccount,
  useAction,
  useLoaded,
} from './data.tsx';
import { useMay } from './rights.tsx';
import { State } from './words.tsx';

/** A client that says nothing for so long counts as gone; the page speaks up well before. */
const HEARTBEAT_MS = 15_000;
/** The name of this page among the clients of a session; gone with the page. */
const OURS = `console-${Array.from(crypto.getRandomValues(new Uint8Array(4)), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;

type Client = Schemas['LiveSessionClient'];

export const peopleOf = async (client: HarnClient, session_id: string) =>
  (await client.get('/v1/sessions/{session_id}/live-clients', { params: { path: { session_id } } })).data;

/** Who is here: the live clients of a session whatever their protocol, who controls it, and what it was given. */
export function People({
  session,
  people,
}: {
  session: Schemas['Session'] | undefined;
  people: Loaded<Client[]>;
}) {
  const { client } = useAccount();
  const may = useMay();
  const { fault, isBusy, act } = useAction();
  const id = session?.id ?? '';
  const params = { path: { session_id: id } };
  const isHere = people.value?.some(({ client_id }) => client_id === OURS) === true;
  const change = (run: () => Promise<unknown>) => act(run).then(() => people.reload());
  useEffect(() => {
    if (!isHere) return;
    const beat = () =>
      client
        .post('/v1/sessions/{session_id}/heartbeat', {
          params: { path: { session_id: id } },
          body: { client_id: OURS },
        })
        .catch(() => people.reload());
    const timer = setInterval(() => void beat(), HEARTBEAT_MS);
    return () => clearInterval(timer);
  }, [isHere, client, id, people.reload]);
  const attach = (mode: 'observer' | 'controller') =>
    change(() =>
      client.post('/v1/sessions/{session_id}/attach', {
        params,
        body: { client_id: OURS, mode, takeover: mode === 'controller', metadata: { protocol: 'console' } },
      }),
    );
  const detach = (client_id: string) =>
    change(() => client.post('/v1/sessions/{session_id}/detach', { params, body: { client_id } }));
  return (
    <Stack>
      <Group gap="xs">
        {session?.mode_id !== undefined && <Badge tt="none">mode {session.mode_id}</Badge>}
        <AsCurl path={`/v1/sessions/${id}/live-clients`} />
        {may('sessions:write') && (
          <>
            {!isHere && (
              <Button
                size="compact-sm"
                variant="default"
                loading={isBusy}
                onClick={() => void attach('observer')}
              >
                Join as an observer
              </Button>
            )}
            <Button
              size="compact-sm"
              variant="default"
              loading={isBusy}
              onClick={() => void attach('controller')}
            >
              Take over
            </Button>
          </>
        )}
      </Group>
      {fault !== undefined && <Fault of={fault} />}
      <Shown
        of={people}
        empty="Nobody is attached. Editors, sockets and other clients appear here by themselves; join to be seen too."
      >
        {(list) => (
          <Stack gap="xs" component="ul" p={0} m={0} className="plain" aria-label="Clients">
            {list.map((one) => (
              <Card key={one.client_id} withBorder component="li">
                <Group gap="xs">
                  <Badge color={one.mode === 'controller' ? 'green' : 'gray'} tt="none">
                    {one.mode === 'controller' ? 'controls' : 'observes'}
                  </Badge>
                  <Text fw={600} className="said">
                    {one.client_id}
                    {one.client_id === OURS && ' (this page)'}
                  </Text>
                  {protocolOf(one) !== undefined && (
                    <Badge variant="outline" tt="none">
                      {protocolOf(one)}
                    </Badge>
                  )}
                  {one.permission_routing && (
                    <Badge variant="light" tt="none">
                      is asked for permissions
                    </Badge>
                  )}
                  {one.prompt_injection && (
                    <Badge variant="light" tt="none">
                      may send prompts
                    </Badge>
                  )}
                  <Text size="sm" c="dimmed">
                    came <Ago at={one.attached_at} />, seen <Ago at={one.last_seen_at} />
                  </Text>
                  {may('sessions:write') && one.client_id === OURS && (
                    <Button size="compact-xs" variant="subtle" onClick={() => void detach(one.client_id)}>
                      Leave
                    </Button>
                  )}
                </Group>
              </Card>
            ))}
          </Stack>
        )}
      </Shown>
      {may('sessions:write') && id !== '' && <Inputs session={id} />}
    </Stack>
  );
}

function protocolOf({ metadata }: Client): string | undefined {
  const { protocol, client } = metadata as { protocol?: unknown; client?: { name?: unknown } };
  const words = [protocol, client?.name].filter((word) => typeof word === 'string');
  return words.length === 0 ? undefined : words.join(' · ');
}

/** Values that a person has given to the session: tools take them by name, and secrets are not shown again. */
function Inputs({ session }: { session: string }) {
  const { client } = useAccount();
  const { fault, isBusy, act } = useAction();
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const [kind, setKind] = useState<'secret' | 'variable'>('variable');
  const [isReplaced, setReplaced] = useState(false);
  const send = (body: Schemas['SessionInputsRequest']) =>
    client.post('/v1/sessions/{session_id}/inputs', { params: { path: { session_id: session } }, body });
  const inputs = useLoaded(() => send({ kind: 'list' }), [session]);
  const put = () =>
    act(async () => {
      await send({ kind: 'put', spec: { name: name.trim(), kind }, value, replace: isReplaced });
      setName('');
      setValue('');
      inputs.reload();
    });
  const remove = (of: string) =>
    act(async () => {
      await send({ kind: 'remove', name: of });
      inputs.reload();
    });
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        Inputs
      </Title>
      <Shown
        of={inputs}
        isEmpty={({ inputs: list = [] }) => list.length === 0}
        empty="No input yet. Tools of this session can take what you give here by its name."
      >
        {({ inputs: list = [] }) => (
          <Stack gap={4}>
            {list.map((one) => (
              <Group key={one.name} gap="xs">
                <State of={one.kind ?? 'variable'} />
                <Text className="mono said">
                  {one.name}
                  {one.value === undefined ? '' : ` = ${one.value}`}
                </Text>
                <Button size="compact-xs" variant="subtle" color="red" onClick={() => void remove(one.name)}>
                  Remove
                </Button>
              </Group>
            ))}
          </Stack>
        )}
      </Shown>
      <Group align="end" gap="xs">
        <TextInput label="Name" value={name} onChange={({ currentTarget }) => setName(currentTarget.value)} />
        <PasswordInput
          label="Value"
          w={200}
          value={value}
          onChange={({ currentTarget }) => setValue(currentTarget.value)}
          autoComplete="off"
        />
        <Select
          label="Kind"
          w={130}
          data={['variable', 'secret']}
          value={kind}
          onChange={(chosen) => setKind(chosen === 'secret' ? 'secret' : 'variable')}
          allowDeselect={false}
        />
        <Switch
          label="Replace"
          checked={isReplaced}
          onChange={({ currentTarget }) => setReplaced(currentTarget.checked)}
        />
        <Button variant="default" loading={isBusy} disabled={name.trim() === ''} onClick={() => void put()}>
          Give
        </Button>
      </Group>
      {fault !== undefined && <Fault of={fault} />}
    </Stack>
  );
}
