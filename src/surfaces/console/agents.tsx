import {
  Alert,
  Anchor,
  Badge,
  Button,
  Card,
  Group,
  Stack,
  Table,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
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
  useAllEvents,
  useLoaded,
} from './data.tsx';
import { Health } from './health.tsx';
import { keysOf } from './receipts.tsx';
import { useMay } from './rights.tsx';
import { canonical, type Verdict, verifyCard } from './verify.ts';
import { differences, isToolServer, Wide } from './words.tsx';

export default function Agents() {
  const agents = useLoaded(
    async (client) => (await client.get('/v1/agents', { params: { query: { limit: 200 } } })).data,
  );
  const skills = useLoaded((client) =>
    everything((cursor) => client.get('/v1/skills', { params: { query: pageAt(cursor) } })),
  );
  const card = useLoaded(async (client) => {
    const [value, keys] = await Promise.all([client.get('/v1/agent-card'), keysOf(client)]);
    return { value, verdict: await verifyCard(value, keys) };
  });
  const may = useMay();
  const mayTry = may('sessions:write') && may('tasks:write');
  return (
    <Stack>
      <Title order={1} size="h2">
        Agents and cards <AsCurl path="/v1/agents" />
      </Title>
      {!mayTry && (
        <Text c="dimmed">
          You may look at these, and not try them: your key lacks the scope sessions:write or tasks:write.
        </Text>
      )}
      <Shown
        of={agents}
        empty="No agent yet: add one under upstreams in gateway.yaml and run harn-gateway reload."
      >
        {(list) => (
          <Stack gap="xs">
            {list.map((agent) => (
              <Agent key={agent.id} of={agent} mayTry={mayTry} onChange={agents.reload} />
            ))}
          </Stack>
        )}
      </Shown>
      {may('operator') && <Halts onChange={agents.reload} />}
      <Title order={2} size="h4">
        Tools and skills <AsCurl path="/v1/skills" />
      </Title>
      <Shown of={skills} empty="No tool server is configured: add one under upstreams.mcp.">
        {(list) => (
          <Stack gap="xs">
            {[...new Set(list.map(({ source }) => source))].map((source) => (
              <OfOneSource
                key={source}
                source={source ?? 'this gateway'}
                skills={list.filter((skill) => skill.source === source)}
                mayTry={mayTry}
              />
            ))}
          </Stack>
        )}
      </Shown>
      <Title order={2} size="h4">
        Card of this gateway <AsCurl path="/v1/agent-card" />
      </Title>
      <Shown of={card} empty="">
        {({ value, verdict }) => <GatewayCard of={value} verdict={verdict} />}
      </Shown>
    </Stack>
  );
}

/** The card that this gateway signs, its signature checked in the browser. */
function GatewayCard({ of, verdict }: { of: Schemas['HarnAgentCard']; verdict: Verdict }) {
  const { signature, a2a_card } = of;
  const unsigned = signature === null;
  return (
    <Card withBorder role="region" aria-label="Card of this gateway">
      <Stack gap="xs">
        <Group gap="xs" role="status" aria-label="Signature of the card">
          <Badge color={verdict.ok ? 'green' : unsigned ? 'gray' : 'red'} variant="light" tt="none">
            {verdict.ok ? 'verified here' : unsigned ? 'not signed' : 'signature does not fit'}
          </Badge>
          {signature !== null && (
            <Text size="sm" className="mono said">
              {signature.algorithm} by {signature.key_id}
            </Text>
          )}
        </Group>
        {!verdict.ok && !unsigned && (
          <Alert color="red" role="alert">
            The card is not what was signed: expected {verdict.expected}, observed {verdict.observed}.
          </Alert>
        )}
        <Fields
          of={{
            Name: of.name,
            Description: of.description,
            Address: of.public_url,
            Protocol: of.protocol_version,
            Capabilities: of.capabilities,
            'Ways in': of.auth_schemes,
            Personas: of.persona_ids,
            Receipts: of.receipt_policy,
            Skills: of.skills.map(({ name }) => name),
          }}
        />
        <Title order={3} size="h5">
          A2A card in it
        </Title>
        <A2aFields of={a2a_card} />
        <details>
          <summary>As JSON</summary>
          <Json value={of} />
        </details>
      </Stack>
    </Card>
  );
}

type A2aCard = Readonly<Record<string, unknown>>;

const A2A_MEMBERS: Readonly<Record<string, string>> = {
  name: 'Name',
  description: 'Description',
  version: 'Version',
  provider: 'Provider',
  capabilities: 'Capabilities',
  defaultInputModes: 'Takes',
  defaultOutputModes: 'Answers with',
  supportedInterfaces: 'Addresses',
};

function A2aFields({ of }: { of: object }) {
  const card = of as A2aCard;
  const shown = Object.entries(A2A_MEMBERS).map(([member, label]) => [label, card[member]]);
  return <Fields of={Object.fromEntries(shown)} />;
}

/** Members as lines of a table: what is absent is left out. */
function Fields({ of }: { of: Readonly<Record<string, unknown>> }) {
  const present = Object.entries(of).filter(([, value]) => value !== null && value !== undefined);
  return (
    <Table>
      <Table.Tbody>
        {present.map(([label, value]) => (
          <Table.Tr key={label}>
            <Table.Th>{label}</Table.Th>
            <Table.Td className="said">{inWords(value)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function inWords(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined) return 'absent';
  if (typeof value !== 'object' || value === null) return String(value);
  if (!Array.isArray(value))
    return listed(Object.entries(value).map(([name, of]) => `${name}: ${inWords(of)}`));
  return value.every((item) => typeof item === 'string') ? listed(value) : value.map(inWords).join('\n');
}

const listed = (words: readonly string[]) => (words.length === 0 ? 'none' : words.join(', '));

/** Members of the agent's own card that the gateway serves otherwise, or only one of both has. */
function rewritten(own: A2aCard, served: A2aCard): { member: string; own: unknown; served: unknown }[] {
  const members = [...new Set([...Object.keys(own), ...Object.keys(served)])].sort();
  return members
    .filter((member) => {
      const [one, other] = [own[member], served[member]];
      return one === undefined || other === undefined || canonical(one) !== canonical(other);
    })
    .map((member) => ({ member, own: own[member], served: served[member] }));
}

function Agent({ of, mayTry, onChange }: { of: Schemas['Agent']; mayTry: boolean; onChange: () => void }) {
  const { client } = useAccount();
  const may = useMay();
  const [cards, setCards] = useState<{ own: A2aCard; served: A2aCard }>();
  const { fault, isBusy, act } = useAction();
  const { id, name, route, description, version, card_state, card_signature } = of;
  const show = () =>
    act(async () => {
      const params = { path: { agent_id: id } };
      const [{ card }, served] = await Promise.all([
        client.get('/v1/agents/{agent_id}/upstream-card', { params }),
        servedCard(route),
      ]);
      setCards({ own: card, served });
    });
  return (
    <Card withBorder>
      <Group gap="xs">
        <Text fw={600}>{name ?? id}</Text>
        <Text className="mono">{route}</Text>
        {version !== null && <Badge variant="light">{version}</Badge>}
        <Health of={of} />
        {card_signature !== null && (
          <Badge variant="outline" tt="none" title={card_signature.reason}>
            card {card_signature.status.replaceAll('_', ' ')}
          </Badge>
        )}
        {(card_state === 'current' || card_state === 'kept') && (
          <Button size="compact-xs" variant="subtle" loading={isBusy} onClick={() => void show()}>
            Card of the agent
          </Button>
        )}
        {mayTry && of.halt_id === null && !isToolServer(route) && <Try route={route} />}
        {may('operator') && of.halt_id === null && <Halt route={route} onChange={onChange} />}
      </Group>
      <Text size="sm" className="said" lineClamp={4}>
        {description}
      </Text>
      {fault !== undefined && <Fault of={fault} />}
      {cards !== undefined && <Cards name={name ?? id} {...cards} />}
    </Card>
  );
}

/** The card of an agent as this gateway serves it, which anybody may read. */
async function servedCard(route: string): Promise<A2aCard> {
  const agent = encodeURIComponent(route.slice(route.indexOf(':') + 1));
  const response = await fetch(`/a2a/${agent}/.well-known/agent-card.json`);
  if (!response.ok) throw new Error(`The card of ${agent} cannot be read here: HTTP ${response.status}.`);
  return (await response.json()) as A2aCard;
}

/** What an agent says of itself, and what this gateway made of it. */
function Cards({ name, own, served }: { name: string; own: A2aCard; served: A2aCard }) {
  return (
    <Stack gap="xs" role="region" aria-label={`Card of ${name}`}>
      <A2aFields of={own} />
      <Text size="sm" fw={600}>
        Rewritten by this gateway
      </Text>
      <Wide width={800}>
        <Table aria-label="Rewritten members">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Member</Table.Th>
              <Table.Th>The agent says</Table.Th>
              <Table.Th>Clients read</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rewritten(own, served).map((row) => (
              <Table.Tr key={row.member}>
                <Table.Th className="mono">{row.member}</Table.Th>
                <Table.Td className="mono said">{inWords(row.own)}</Table.Td>
                <Table.Td className="mono said">{inWords(row.served)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Wide>
      <details>
        <summary>As JSON</summary>
        <Json value={own} />
      </details>
    </Stack>
  );
}

/** To the playground, which has a form of the schema and the request in the words of each protocol. */
function Try({ route }: { route: string }) {
  return (
    <Anchor component={Link} href={`/playground/${encodeURIComponent(route)}`} size="sm">
      Try
    </Anchor>
  );
}

/** Stops an agent at once, for a reason that every task which it ends will say. */
function Halt({ route, onChange }: { route: string; onChange: () => void }) {
  const { client } = useAccount();
  const [reason, setReason] = useState<string>();
  const { fault, isBusy, act } = useAction();
  const halt = async () => {
    const body = { route, reason: (reason ?? '').trim() };
    if (await act(() => client.post('/v1/admin/halts', { body }))) setReason(undefined);
    onChange();
  };
  if (reason === undefined)
    return (
      <Button
        size="compact-xs"
        color="red"
        variant="subtle"
        aria-label={`Halt ${route}`}
        onClick={() => setReason('')}
      >
        Halt
      </Button>
    );
  return (
    <Group gap="xs" align="end">
      <TextInput
        label={`Why ${route} is halted`}
        description="What runs there ends, and says this."
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
      <Button
        size="compact-sm"
        color="red"
        loading={isBusy}
        disabled={reason.trim() === ''}
        onClick={() => void halt()}
      >
        Halt it now
      </Button>
      <Button size="compact-sm" variant="default" onClick={() => setReason(undefined)}>
        Leave it
      </Button>
      {fault !== undefined && <Fault of={fault} />}
    </Group>
  );
}

/** Halts in force: why, by whom, since when; each can be released. */
function Halts({ onChange }: { onChange: () => void }) {
  const { client } = useAccount();
  const { fault, act } = useAction();
  const halts = useLoaded((of) =>
    everything((cursor) => of.get('/v1/admin/halts', { params: { query: pageAt(cursor) } })),
  );
  useAllEvents(({ event }) => {
    if (/\.halt_/.test(event)) halts.reload();
  });
  const release = async (halt_id: string) => {
    await act(() => client.post('/v1/admin/halts/{halt_id}/release', { params: { path: { halt_id } } }));
    halts.reload();
    onChange();
  };
  return (
    <>
      <Title order={2} size="h4">
        Halts in force <AsCurl path="/v1/admin/halts" />
      </Title>
      {fault !== undefined && <Fault of={fault} />}
      <Shown of={halts} empty="Nothing is halted. Halt an agent above to end what runs there at once.">
        {(list) => (
          <Stack gap="xs" component="ul" p={0} m={0} className="plain" aria-label="Halts">
            {list.map(({ id, route, tool, reason, created_by, created_at }) => (
              <Card key={id} withBorder component="li">
                <Group gap="xs">
                  <Badge color="red" variant="light" tt="none">
                    halted
                  </Badge>
                  <Text className="mono said">{tool === null ? route : `${tool} of ${route}`}</Text>
                  <Text size="sm" className="said">
                    {reason}
                  </Text>
                  <Text size="sm" c="dimmed">
                    {created_by} <Ago at={created_at} />
                  </Text>
                  <Button
                    size="compact-xs"
                    variant="light"
                    aria-label={`Release ${route}`}
                    onClick={() => void release(id)}
                  >
                    Release
                  </Button>
                </Group>
              </Card>
            ))}
          </Stack>
        )}
      </Shown>
    </>
  );
}

/** What the bridge of a tool server says of a tool beside its schema. */
interface ToolFacts {
  side_effect?: string;
  definition_changed?: boolean;
  pinned_sha256?: string;
  mcp?: { tool?: object; pinned_tool?: object };
}

const factsOf = ({ metadata }: Schemas['Skill']) => metadata as ToolFacts;

/** The tools of one server, or the skills of one agent. Those whose definition has changed come first, and are open. */
function OfOneSource({
  source,
  skills,
  mayTry,
}: {
  source: string;
  skills: readonly Schemas['Skill'][];
  mayTry: boolean;
}) {
  const changed = skills.filter((skill) => factsOf(skill).definition_changed === true);
  const rest = skills.filter((skill) => !changed.includes(skill));
  return (
    <Card withBorder component="section" aria-label={`Of ${source}`}>
      <details open={changed.length > 0 || skills.length <= 3}>
        <summary>
          <span className="mono">{source}</span> {skills.length} {skills.length === 1 ? 'skill' : 'skills'}
          {changed.length > 0 && (
            <Badge color="red" variant="light" tt="none" ml="xs">
              {changed.length} changed since pinned
            </Badge>
          )}
        </summary>
        <Stack gap="sm" mt="xs">
          {[...changed, ...rest].map((skill) => (
            <Tool key={skill.id} of={skill} mayTry={mayTry} />
          ))}
        </Stack>
      </details>
    </Card>
  );
}

function Tool({ of, mayTry }: { of: Schemas['Skill']; mayTry: boolean }) {
  const { id, name, description, input_schema, requires_approval, source, version, deprecated } = of;
  const { side_effect, definition_changed = false, pinned_sha256, mcp = {} } = factsOf(of);
  const isTool = mcp.tool !== undefined;
  return (
    <Stack gap={2}>
      <Group gap="xs">
        <Text fw={600} className="said">
          {name}
        </Text>
        {deprecated && (
          <Badge color="gray" variant="light" tt="none">
            no longer listed
          </Badge>
        )}
        {side_effect !== undefined && (
          <Badge variant="outline" tt="none">
            {side_effect.replaceAll('_', ' ')}
          </Badge>
        )}
        {requires_approval && (
          <Badge color="yellow" variant="light" tt="none">
            needs approval
          </Badge>
        )}
        {definition_changed && (
          <Badge color="red" variant="light" tt="none">
            definition changed
          </Badge>
        )}
        {mayTry && input_schema !== null && source !== null && !deprecated && <Try route={`skill:${id}`} />}
      </Group>
      <Text size="sm" className="said" lineClamp={3}>
        {description}
      </Text>
      {isTool && (
        <Text size="xs" c="dimmed" className="mono said">
          {definition_changed ? `pinned ${pinned_sha256}, now ${version}` : `pinned ${version}`}
        </Text>
      )}
      {definition_changed && <Changed from={mcp.pinned_tool} to={mcp.tool} />}
      {isTool && (
        <details>
          <summary>Definition</summary>
          <Json value={mcp.tool} />
        </details>
      )}
    </Stack>
  );
}

/** The members of a definition that are others than in the one it is held to. */
function Changed({ from, to }: { from: object | undefined; to: object | undefined }) {
  if (from === undefined)
    return (
      <Text size="sm" c="dimmed">
        The pinned definition was too long to keep, or is from before definitions were kept: only its hash is
        known.
      </Text>
    );
  return (
    <Wide width={800}>
      <Table aria-label="Changed members">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Member</Table.Th>
            <Table.Th>Pinned</Table.Th>
            <Table.Th>Now</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {differences(from, to).map(({ path, before, after }) => (
            <Table.Tr key={path}>
              <Table.Th className="mono said">{path}</Table.Th>
              <Table.Td className="said removed">{inWords(before)}</Table.Td>
              <Table.Td className="said added">{inWords(after)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Wide>
  );
}
