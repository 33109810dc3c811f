import {
  Alert,
  Badge,
  Button,
  Card,
  Code,
  Group,
  MultiSelect,
  Progress,
  Stack,
  Tabs,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useState } from 'react';
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
  useLoaded,
} from './data.tsx';
import { History, Policy } from './policy.tsx';
import { Personas, Vaults } from './registers.tsx';
import { useMay } from './rights.tsx';

/** Who may do what, and by which rule. What a user may not see says so in the words of the API. */
export default function Access() {
  return (
    <Stack>
      <Title order={1} size="h2">
        Access
      </Title>
      <Tabs defaultValue="rules" keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="rules">Rules</Tabs.Tab>
          <Tabs.Tab value="explain">Who may do what</Tabs.Tab>
          <Tabs.Tab value="history">History</Tabs.Tab>
          <Tabs.Tab value="personas">Personas</Tabs.Tab>
          <Tabs.Tab value="keys">Keys</Tabs.Tab>
          <Tabs.Tab value="quotas">Quotas</Tabs.Tab>
          <Tabs.Tab value="vaults">Vaults</Tabs.Tab>
          <Tabs.Tab value="letters">Dead letters</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="rules" pt="sm">
          <Rules />
        </Tabs.Panel>
        <Tabs.Panel value="explain" pt="sm">
          <Explain />
        </Tabs.Panel>
        <Tabs.Panel value="history" pt="sm">
          <History />
        </Tabs.Panel>
        <Tabs.Panel value="personas" pt="sm">
          <Personas />
        </Tabs.Panel>
        <Tabs.Panel value="keys" pt="sm">
          <Keys />
        </Tabs.Panel>
        <Tabs.Panel value="quotas" pt="sm">
          <Quotas />
        </Tabs.Panel>
        <Tabs.Panel value="vaults" pt="sm">
          <Vaults />
        </Tabs.Panel>
        <Tabs.Panel value="letters" pt="sm">
          <Letters />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

/** Why no button is here. */
function Lacking({ what, scope }: { what: string; scope: string }) {
  return (
    <Text size="sm" c="dimmed">
      You may not {what}: your key lacks the scope {scope}.
    </Text>
  );
}

type NewScope = Schemas['CreateApiKeyRequest']['scopes'][number];
const SCOPES_OF_A_READER: NewScope[] = [
  'sessions:read',
  'tasks:read',
  'events:read',
  'artifacts:read',
  'permissions:read',
  'receipts:read',
  'agents:read',
  'skills:read',
  'workspaces:read',
];
const SCOPES: NewScope[] = [
  ...SCOPES_OF_A_READER,
  'sessions:write',
  'tasks:write',
  'tasks:replay',
  'permissions:respond',
  'artifacts:write',
  'messages:read',
  'messages:write',
  'outcomes:read',
  'personas:read',
  'quotas:read',
  'vaults:read',
  'dead_letters:read',
  'dead_letters:write',
  'bundles:read',
  'bundles:write',
  'metrics:read',
  'runtime:read',
  'admin',
  'operator',
  '*',
];

function Keys() {
  const may = useMay();
  return may('admin') ? <AllKeys /> : <Lacking what="see or make keys" scope="admin" />;
}

/** Keys: made here and shown once, and revoked. */
function AllKeys() {
  const { client } = useAccount();
  const { fault, isBusy, act } = useAction();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<string[]>(SCOPES_OF_A_READER);
  const [workspace, setWorkspace] = useState('');
  const [made, setMade] = useState<Schemas['IssuedApiKey']>();
  const keys = useLoaded((of) =>
    everything((cursor) => of.get('/v1/admin/api-keys', { params: { query: pageAt(cursor) } })),
  );
  const make = () =>
    act(async () => {
      const workspaces = workspace
        .split(',')
        .map((id) => id.trim())
        .filter((id) => id !== '');
      const called = name.trim();
      setMade(
        await client.post('/v1/admin/api-keys', {
          body: { name: called, actor: called, scopes: scopes as NewScope[], workspaces },
        }),
      );
      setName('');
      keys.reload();
    });
  const revoke = (key_id: string) =>
    act(async () => {
      await client.post('/v1/admin/api-keys/{key_id}/revoke', { params: { path: { key_id } } });
      keys.reload();
    });
  return (
    <Stack>
      <Group align="end">
        <TextInput
          label="Name of the new key"
          description="Also the actor that its calls are recorded under"
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <TextInput
          label="Workspaces"
          description="Ids, with commas between them"
          placeholder="workspace_default"
          value={workspace}
          onChange={({ currentTarget }) => setWorkspace(currentTarget.value)}
        />
        <Button
          loading={isBusy}
          disabled={name.trim() === '' || workspace.trim() === '' || scopes.length === 0}
          onClick={() => void make()}
        >
          Make a key
        </Button>
        <AsCurl path="/v1/admin/api-keys" />
      </Group>
      <MultiSelect label="Scopes" data={SCOPES} value={scopes} onChange={setScopes} searchable />
      {fault !== undefined && <Fault of={fault} />}
      {made?.key !== undefined && (
        <Alert color="green" title={`The key ${made.name}, shown this once`} role="status">
          <Code className="said">{made.key}</Code>{' '}
          <Button size="compact-xs" variant="subtle" onClick={() => setMade(undefined)}>
            I have copied it
          </Button>
        </Alert>
      )}
      <Shown
        of={keys}
        empty="No key was made over the API: make one above. Keys of gateway.yaml are not listed."
      >
        {(list) => (
          <Stack gap="xs" component="ul" p={0} m={0} className="plain" aria-label="Keys">
            {list.map((key) => (
              <Card key={key.id} withBorder component="li">
                <Group gap="xs">
                  <Text fw={600} className="said">
                    {key.name}
                  </Text>
                  <Text size="sm" className="said">
                    {key.actor}, {key.scopes.join(' ')}, {key.workspaces.join(' ')}
                  </Text>
                  <Text size="sm" c="dimmed">
                    made <Ago at={key.created_at} />
                    {key.expires_at !== null && `, ends ${key.expires_at}`}
                  </Text>
                  {key.revoked_at === null ? (
                    <Button
                      size="compact-xs"
                      color="red"
                      variant="subtle"
                      aria-label={`Revoke ${key.name}`}
                      onClick={() => void revoke(key.id)}
                    >
                      Revoke
                    </Button>
                  ) : (
                    <Badge color="gray" tt="none">
                      revoked
                    </Badge>
                  )}
                </Group>
              </Card>
            ))}
          </Stack>
        )}
      </Shown>
    </Stack>
  );
}

/** Limits and how much of each is used. */
function Quotas() {
  const quotas = useLoaded((of) =>
    everything((cursor) => of.get('/v1/quotas', { params: { query: pageAt(cursor) } })),
  );
  return (
    <Stack>
      <Group>
        <AsCurl path="/v1/quotas" />
      </Group>
      <Shown of={quotas} empty="No quota is configured: add some under quotas in gateway.yaml.">
        {(list) => (
          <Stack gap="xs">
            {list.map(({ id, scope, owner_id, limits, usage, reset_at, exhaustion_reason }) => (
              <Card key={id} withBorder>
                <Group gap="xs">
                  <Text fw={600}>{id}</Text>
                  <Text size="sm">
                    {scope} {owner_id}
                  </Text>
                  {reset_at !== null && (
                    <Text size="sm" c="dimmed">
                      anew at {reset_at}
                    </Text>
                  )}
                  {exhaustion_reason !== null && <Badge color="red">{exhaustion_reason}</Badge>}
                </Group>
                {Object.entries(limits).map(([what, limit]) => {
                  const used = usage[what] ?? 0;
                  const share = limit > 0 ? (100 * used) / limit : 100;
                  return (
                    <Group key={what} gap="xs">
                      <Text size="sm">
                        {what}: {used} of {limit}
                      </Text>
                      <Progress
                        w={160}
                        value={Math.min(100, share)}
                        color={share >= 100 ? 'red' : share >= 80 ? 'yellow' : 'blue'}
                        aria-label={`${what} of ${id}`}
                      />
                    </Group>
                  );
                })}
              </Card>
            ))}
          </Stack>
        )}
      </Shown>
    </Stack>
  );
}

/** What the policy makes of a call or a task of somebody, and the rule that decides. */
function Explain() {
  const { client } = useAccount();
  const may = useMay();
  const { fault, isBusy, act } = useAction();
  const [asked, setAsked] = useState({ actor: '', operation: 'submitTask', skill: '', resource: '' });
  const [found, setFound] = useState<Schemas['PolicyExplanation']>();
  if (!may('admin')) return <Lacking what="ask this" scope="admin" />;
  const query = {
    actor: asked.actor.trim(),
    operation: asked.operation.trim(),
    ...(asked.skill.trim() === '' ? {} : { skill: asked.skill.trim() }),
    ...(asked.resource.trim() === '' ? {} : { resource: asked.resource.trim() }),
  };
  const field = (name: keyof typeof asked, label: string, description: string) => (
    <TextInput
      label={label}
      description={description}
      value={asked[name]}
      onChange={({ currentTarget: { value } }) => setAsked((before) => ({ ...before, [name]: value }))}
    />
  );
  return (
    <Stack>
      <Group align="end">
        {field('actor', 'Actor', 'Who would call')}
        {field('operation', 'Operation', 'As the OpenAPI document names it')}
        {field('skill', 'Skill or agent', 'What the task would use, if any')}
        {field('resource', 'Resource', 'What the call names, if any')}
        <Button
          loading={isBusy}
          disabled={query.actor === '' || query.operation === ''}
          onClick={() =>
            void act(async () => {
              setFound(undefined);
              setFound(await client.get('/v1/admin/policy/explain', { params: { query } }));
            })
          }
        >
          Explain
        </Button>
        <AsCurl path={`/v1/admin/policy/explain?${new URLSearchParams(query)}`} />
      </Group>
      {fault !== undefined && <Fault of={fault} />}
      {found !== undefined && (
        <Card withBorder role="status" aria-label="Explanation">
          <Group gap="xs">
            <Badge color={EFFECTS[found.decision.effect]} tt="none">
              {found.decision.effect}
            </Badge>
            <Text className="mono said">{found.decision.rule}</Text>
          </Group>
          <Text className="said">{found.decision.because}</Text>
          <Text size="sm" c="dimmed" className="said">
            {[
              found.credential === null ? '' : `credential ${found.credential}`,
              found.tier === null ? '' : `tier ${found.tier}`,
              found.side_effect === null ? '' : `side effect ${found.side_effect}`,
            ]
              .filter((fact) => fact !== '')
              .join(', ')}
          </Text>
          <ol>
            {found.checks.map(({ check, result }) => (
              <li key={check}>
                {check}: {result.replace('_', ' ')}
              </li>
            ))}
          </ol>
        </Card>
      )}
    </Stack>
  );
}

const EFFECTS = { allow: 'green', ask: 'yellow', withhold: 'yellow', refuse: 'red' } as const;

function Rules() {
  const { client } = useAccount();
  const may = useMay();
  const [fault, setFault] = useState<unknown>();
  const rules = useLoaded(
    async (of) => (await of.get('/v1/permissions/rules', { params: { query: { limit: 200 } } })).data,
  );
  const forget = async (rule_id: string) => {
    try {
      await client.delete('/v1/permissions/rules/{rule_id}', { params: { path: { rule_id } } });
    } catch (error) {
      setFault(error);
    }
    rules.reload();
  };
  return (
    <Stack>
      <Policy />
      <Title order={2} size="h4">
        Rules
      </Title>
      <Group>
        <AsCurl path="/v1/permissions/rules" />
        {!may('permissions:respond') && <Lacking what="forget rules" scope="permissions:respond" />}
      </Group>
      {fault !== undefined && <Fault of={fault} />}
      <Shown
        of={rules}
        empty="No answer is remembered. Answer a question with &quot;always&quot;, or make a rule: harn-gateway permission rules add"
      >
        {(list) => (
          <Stack gap="xs">
            {list.map((rule) => (
              <Card key={rule.id} withBorder>
                <Group gap="xs">
                  <Badge color={rule.allow ? 'green' : 'red'}>{rule.allow ? 'allow' : 'deny'}</Badge>
                  <Text className="mono said">
                    {rule.class} {rule.action_pattern} {rule.target_pattern}
                  </Text>
                  <Text size="sm">
                    {rule.scope} {rule.scope_value}
                  </Text>
                  <Text size="sm" c="dimmed">
                    {rule.created_by} <Ago at={rule.created_at} />
                  </Text>
                  {may('permissions:respond') && (
                    <Button
                      size="compact-xs"
                      color="red"
                      variant="subtle"
                      onClick={() => void forget(rule.id)}
                    >
                      Forget
                    </Button>
                  )}
                </Group>
                {rule.reason !== null && <Text size="sm">{rule.reason}</Text>}
              </Card>
            ))}
          </Stack>
        )}
      </Shown>
    </Stack>
  );
}

function Letters() {
  const { client } = useAccount();
  const may = useMay();
  const [fault, setFault] = useState<unknown>();
  const letters = useLoaded(
    async (of) => (await of.get('/v1/dead-letters', { params: { query: { limit: 100 } } })).data,
  );
  const retry = async (dead_letter_id: string) => {
    try {
      await client.post('/v1/dead-letters/{dead_letter_id}/retry', { params: { path: { dead_letter_id } } });
    } catch (error) {
      setFault(error);
    }
    letters.reload();
  };
  return (
    <Stack>
      {!may('dead_letters:write') && <Lacking what="retry these" scope="dead_letters:write" />}
      {fault !== undefined && <Fault of={fault} />}
      <Shown of={letters} empty="Every webhook was delivered.">
        {(list) => (
          <Stack gap="xs">
            {list.map(({ id, status, reason, attempts, task_id }) => (
              <Card key={id} withBorder>
                <Group gap="xs">
                  <Badge>{status}</Badge>
                  <Text className="mono">{task_id}</Text>
                  <Text size="sm">
                    {attempts} attempts: {reason}
                  </Text>
                  {may('dead_letters:write') && (
                    <Button size="compact-xs" variant="light" onClick={() => void retry(id)}>
                      Retry
                    </Button>
                  )}
                </Group>
              </Card>
            ))}
          </Stack>
        )}
      </Shown>
    </Stack>
  );
}
