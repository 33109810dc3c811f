import { Badge, Button, Card, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import {
  Ago,
  AsCurl,
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
import { blank, type Filled, gapsOf, SchemaForm } from './form.tsx';
import { Lacking, useMay } from './rights.tsx';

type Persona = Schemas['Persona'];
type NewPersona = Schemas['CreatePersonaRequest'];

const LIST = { type: 'array', items: { type: 'string' } } as const;
const CHANGEABLE = {
  description: { type: 'string', title: 'Description' },
  receipt_policy: {
    title: 'Receipts',
    enum: ['required', 'optional', 'disabled'],
    default: 'optional',
    description: 'required: of the acceptance and of the end. optional: of the end. disabled: none.',
  },
  quota_id: {
    type: 'string',
    title: 'Quota',
    description: 'Id of the quota that its tasks count against; empty for none',
  },
} as const;

/** The fields that people fill in; what the API takes besides is kept as it is. */
const PERSONA_FORM = {
  properties: {
    name: { type: 'string', title: 'Name' },
    version: { type: 'string', title: 'Version', default: '1' },
    entry_workflow: {
      type: 'string',
      title: 'Workflow',
      description: 'Route of its tasks, for example a2a:shop',
    },
    autonomy_tier: {
      title: 'Autonomy',
      enum: ['shadow', 'suggest', 'act_with_approval', 'act_auto'],
      default: 'act_with_approval',
      description:
        'shadow calls nothing, suggest asks before each tool, act_with_approval before tools that write, act_auto before destructive ones.',
    },
    tools: {
      ...LIST,
      title: 'Tools',
      description: 'Ids of the skills that it may call, files__* for all of a server; none for all',
    },
    capabilities: {
      ...LIST,
      title: 'Capabilities',
      description: 'For example tool:read or agent:a2a; none for all',
    },
    handoffs: {
      ...LIST,
      title: 'Handoffs',
      description: 'Routes that its tasks may be given to, a2a:* for all of a protocol; none for all',
    },
    owner: { type: 'string', title: 'Owner' },
    ...CHANGEABLE,
  },
  required: ['name', 'version', 'entry_workflow', 'description', 'autonomy_tier', 'receipt_policy'],
} as const;
const CHANGE_FORM = { properties: CHANGEABLE, required: ['description', 'receipt_policy'] } as const;

/** Personas: what each may do by itself, made here and changed here as far as the API lets them be. */
export function Personas() {
  const { client } = useAccount();
  const may = useMay();
  const personas = useLoaded((of) =>
    everything((cursor) => of.get('/v1/personas', { params: { query: pageAt(cursor) } })),
  );
  const create = async (values: Filled['values']) => {
    await client.post('/v1/personas', { body: values as unknown as NewPersona });
    personas.reload();
  };
  return (
    <Stack>
      {may('personas:write') ? (
        <Register
          label="New persona"
          send="Make the persona"
          path="/v1/personas"
          form={PERSONA_FORM}
          onSend={create}
        />
      ) : (
        <Lacking scope="personas:write" what="make or change them" />
      )}
      <Shown
        of={personas}
        empty={
          may('personas:write')
            ? 'No persona yet: make one above, or put a file in the directory of personas.'
            : 'No persona yet.'
        }
      >
        {(list) => (
          <Stack gap="xs" component="ul" p={0} m={0} className="plain" aria-label="Personas">
            {list.map((one) => (
              <PersonaCard key={one.id} of={one} onChange={personas.reload} />
            ))}
          </Stack>
        )}
      </Shown>
    </Stack>
  );
}

function PersonaCard({ of, onChange }: { of: Persona; onChange: () => void }) {
  const { client } = useAccount();
  const may = useMay();
  const { id, name, version, autonomy_tier, receipt_policy, entry_workflow, description, quota_id } = of;
  const change = async ({ quota_id: quota, ...values }: Filled['values']) => {
    const body = { ...values, quota_id: quota ?? null } as Schemas['UpdatePersonaRequest'];
    await client.patch('/v1/personas/{persona_id}', { params: { path: { persona_id: id } }, body });
    onChange();
  };
  const limits = [
    ['tools', of.tools],
    ['capabilities', of.capabilities],
    ['handoffs', of.handoffs],
  ] as const;
  return (
    <Card withBorder component="li">
      <Group gap="xs">
        <Text fw={600} className="said">
          {name}
        </Text>
        <Badge variant="light" tt="none">
          {version}
        </Badge>
        <Badge variant="outline" tt="none">
          {autonomy_tier.replaceAll('_', ' ')}
        </Badge>
        <Badge variant="outline" tt="none">
          receipts {receipt_policy}
        </Badge>
        <Text className="mono said">{entry_workflow}</Text>
        <Text size="sm" c="dimmed">
          <Ago at={of.created_at} />
        </Text>
        <AsCurl path={`/v1/personas/${id}`} />
      </Group>
      <Text size="sm" className="said">
        {description}
      </Text>
      <Text size="sm" c="dimmed" className="said">
        {limits
          .map(([what, names]) => `${what}: ${names.length === 0 ? 'all' : names.join(', ')}`)
          .join('; ')}
        {quota_id !== null && `; quota ${quota_id}`}
      </Text>
      {may('personas:write') && (
        <Register
          label={`Change ${name}`}
          send="Keep the change"
          path={`/v1/personas/${id}`}
          method="PATCH"
          form={CHANGE_FORM}
          first={{ description, receipt_policy, ...(quota_id === null ? {} : { quota_id }) }}
          onSend={change}
        />
      )}
      <details>
        <summary>As JSON</summary>
        <Json value={of} />
      </details>
    </Card>
  );
}

/** A vault by its description; no value of it is shown, here or anywhere. */
export function Vaults() {
  const { client } = useAccount();
  const may = useMay();
  const workspaces = useLoaded(
    async (of) => (await of.get('/v1/workspaces', { params: { query: { limit: 200 } } })).data,
  );
  const vaults = useLoaded((of) =>
    everything((cursor) => of.get('/v1/vaults', { params: { query: pageAt(cursor) } })),
  );
  const ids = workspaces.value?.map(({ id }) => id) ?? [];
  const form = {
    properties: {
      provider: { type: 'string', title: 'Provider', description: 'Who holds the secrets' },
      capabilities: {
        ...LIST,
        title: 'Capabilities',
        description: 'For example secret.resolve',
        default: [],
      },
      workspace_id: {
        title: 'Workspace',
        enum: ids,
        ...(ids.length === 0 ? {} : { default: ids[0] }),
      },
    },
    required: ['provider', 'capabilities'],
  };
  const create = async (values: Filled['values']) => {
    await client.post('/v1/vaults', { body: values as unknown as Schemas['CreateVaultRequest'] });
    vaults.reload();
  };
  return (
    <Stack>
      <Text size="sm" c="dimmed" maw="46rem">
        A vault is described here, and its secrets stay with its provider: values are neither taken nor shown.
        Vaults that agents get secrets from are configured under vaults in gateway.yaml.
      </Text>
      {may('vaults:write') ? (
        <Register
          key={ids[0]}
          label="New vault"
          send="Describe the vault"
          path="/v1/vaults"
          form={form}
          onSend={create}
        />
      ) : (
        <Lacking scope="vaults:write" what="describe one" />
      )}
      <Shown of={vaults} empty="No vault is known.">
        {(list) => (
          <Stack gap="xs" component="ul" p={0} m={0} className="plain" aria-label="Vaults">
            {list.map((vault) => (
              <Card key={vault.id} withBorder component="li">
                <Group gap="xs">
                  <Text className="mono said">{vault.id}</Text>
                  <Badge variant="light" tt="none">
                    {vault.provider}
                  </Badge>
                  <Text size="sm" className="said">
                    {vault.workspace_id ?? 'every workspace'}
                  </Text>
                  <Text size="sm" className="said">
                    {vault.capabilities.join(', ') || 'no capability'}
                  </Text>
                  <Text size="sm" c="dimmed">
                    <Ago at={vault.created_at} />
                  </Text>
                  <AsCurl path={`/v1/vaults/${vault.id}`} />
                </Group>
              </Card>
            ))}
          </Stack>
        )}
      </Shown>
    </Stack>
  );
}

/** A form behind a button, which closes when what it sends is taken. */
function Register({
  label,
  send,
  path,
  method = 'POST',
  form,
  first,
  onSend,
}: {
  label: ReactNode;
  send: string;
  path: string;
  method?: string;
  form: object;
  /** What the fields hold at first, where that is not the defaults of the schema. */
  first?: Filled['values'];
  onSend: (values: Filled['values']) => Promise<void>;
}) {
  const { fault, isBusy, act } = useAction();
  const [filled, setFilled] = useState<Filled>();
  const open = () => setFilled(first === undefined ? blank(form) : { values: first, wrong: [] });
  const gaps = filled === undefined ? [] : gapsOf(form, filled);
  const submit = async ({ values }: Filled) => {
    if (await act(() => onSend(values))) setFilled(undefined);
  };
  if (filled === undefined)
    return (
      <Group>
        <Button size="compact-sm" variant="default" onClick={open}>
          {label}
        </Button>
        {first === undefined && <AsCurl path={path} />}
      </Group>
    );
  return (
    <Card withBorder maw="46rem">
      <SchemaForm schema={form} filled={filled} onFill={setFilled} />
      {fault !== undefined && <Fault of={fault} />}
      <Group mt="sm" gap="xs">
        <Button
          size="compact-md"
          loading={isBusy}
          disabled={gaps.length > 0}
          onClick={() => void submit(filled)}
        >
          {send}
        </Button>
        <Button size="compact-md" variant="default" onClick={() => setFilled(undefined)}>
          Leave it
        </Button>
        {gaps.length > 0 && (
          <Text size="sm" c="dimmed">
            Still to fill in: {gaps.join(', ')}
          </Text>
        )}
        <AsCurl method={method} path={path} body={filled.values} />
      </Group>
    </Card>
  );
}
