import { Alert, Anchor, Badge, Button, Card, Group, Stack, Table, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import {
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
import { keysOf } from './receipts.tsx';
import { useMay } from './rights.tsx';
import { canonical, type Verdict, verifyCard } from './verify.ts';

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
              <Agent key={agent.id} of={agent} mayTry={mayTry} />
            ))}
          </Stack>
        )}
      </Shown>
      <Title order={2} size="h4">
        Skills <AsCurl path="/v1/skills" />
      </Title>
      <Shown of={skills} empty="No tool server is configured: add one under upstreams.mcp.">
        {(list) => (
          <Stack gap="xs">
            {list.map(({ id, name, description, input_schema, requires_approval, source }) => (
              <Card key={id} withBorder>
                <Group gap="xs">
                  <Text fw={600}>{name}</Text>
                  {requires_approval && <Badge color="yellow">needs approval</Badge>}
                  {mayTry && input_schema !== null && source !== null && <Try route={`skill:${id}`} />}
                </Group>
                <Text size="sm" className="said">
                  {description}
                </Text>
              </Card>
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
  if (Array.isArray(value) && value.every((item) => typeof item === 'string'))
    return value.length === 0 ? 'none' : value.join(', ');
  return value === undefined ? 'absent' : JSON.stringify(value);
}

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

function Agent({ of, mayTry }: { of: Schemas['Agent']; mayTry: boolean }) {
  const { client } = useAccount();
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
        <Badge color={card_state === 'current' || card_state === 'none' ? 'green' : 'red'} variant="light">
          card {card_state}
        </Badge>
        {card_signature !== null && (
          <Badge variant="outline" title={card_signature.reason}>
            {card_signature.status.replaceAll('_', ' ')}
          </Badge>
        )}
        {card_state !== 'none' && (
          <Button size="compact-xs" variant="subtle" loading={isBusy} onClick={() => void show()}>
            Card of the agent
          </Button>
        )}
        {mayTry && <Try route={route} />}
      </Group>
      <Text size="sm" className="said">
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
