import { Badge, Button, Group, Select, Stack, Table, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { Ago, AsCurl, pageAt, type Schemas, Shown, useAccount, useLoaded } from './data.tsx';
import { State, Wide } from './words.tsx';

/** What the tenant lets its tasks do without asking, by kind. */
export function Policy() {
  const policy = useLoaded((client) => client.get('/v1/permissions/policy'));
  return (
    <Stack gap="xs" component="section" aria-label="Policy">
      <Title order={2} size="h4">
        Done without asking <AsCurl path="/v1/permissions/policy" />
      </Title>
      <Shown of={policy} empty="">
        {({ policy: of, version, not_enforced }) => (
          <>
            <Table aria-label="Policy">
              <Table.Tbody>
                {linesOf(of).map(([what, words]) => (
                  <Table.Tr key={what}>
                    <Table.Th w={160}>{what}</Table.Th>
                    <Table.Td className="mono said">{words}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
            <Text size="sm" c="dimmed" className="said">
              Version {version}.
              {not_enforced.length > 0 && ` Kept, without an effect: ${not_enforced.join(', ')}.`} Another
              one: harn-gateway permission policy
            </Text>
          </>
        )}
      </Shown>
    </Stack>
  );
}

function linesOf({
  read = [],
  write = [],
  exec = [],
  net = [],
  llm,
  escalate_to = [],
}: Schemas['PermissionPolicy']): [string, string][] {
  const ceiling = llm?.cost_ceiling_usd_cents;
  const globs = (list: readonly string[]) => (list.length === 0 ? 'nothing' : list.join('  '));
  return [
    ['Read', globs(read)],
    ['Write', globs(write)],
    ['Run', globs(exec)],
    ['Reach', globs(net)],
    ['Cost of a session', ceiling == null ? 'no ceiling' : `at most ${(ceiling / 100).toFixed(2)} USD`],
    ['Who is asked', escalate_to.length === 0 ? 'whoever may answer' : escalate_to.join(', then ')],
  ];
}

const OUTCOMES = ['granted', 'denied', 'escalated'] as const satisfies Schemas['AuditEntry']['outcome'][];
type Outcome = (typeof OUTCOMES)[number];

/** Every answer there was, by a person, a rule or the policy. */
export function History() {
  const { client } = useAccount();
  const [pages, setPages] = useState(1);
  const [outcome, setOutcome] = useState<string | null>(null);
  const answers = useLoaded(async () => {
    const list: Schemas['AuditEntry'][] = [];
    let cursor: string | undefined;
    for (let page = 0; page < pages; page += 1) {
      const of = outcome === null ? {} : { outcome: outcome as Outcome };
      const query = { ...pageAt(cursor, 50), ...of };
      const { data, next_cursor } = await client.get('/v1/permissions/history', { params: { query } });
      list.push(...data);
      cursor = next_cursor ?? undefined;
      if (cursor === undefined) break;
    }
    return { list, hasMore: cursor !== undefined };
  }, [pages, outcome]);
  return (
    <Stack>
      <Group>
        <Select
          aria-label="Outcome"
          placeholder="Every answer"
          data={[...OUTCOMES]}
          value={outcome}
          onChange={setOutcome}
          clearable
        />
        <AsCurl
          path={outcome === null ? '/v1/permissions/history' : `/v1/permissions/history?outcome=${outcome}`}
        />
      </Group>
      <Shown
        of={answers}
        isEmpty={({ list }) => list.length === 0}
        empty="Nothing was asked yet, or none of it was answered like that."
      >
        {({ list, hasMore }) => (
          <>
            <Wide width={640}>
              <Table aria-label="Answers">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Answer</Table.Th>
                    <Table.Th>What was asked</Table.Th>
                    <Table.Th>For whom</Table.Th>
                    <Table.Th>By which rule</Table.Th>
                    <Table.Th>When</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {list.map((entry) => (
                    <Answer key={`${entry.request.id} ${entry.decided_at}`} of={entry} />
                  ))}
                </Table.Tbody>
              </Table>
            </Wide>
            {hasMore && (
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

function Answer({ of }: { of: Schemas['AuditEntry'] }) {
  const { request, outcome, risk, rule_id, decided_by, decided_at, reason } = of;
  return (
    <Table.Tr>
      <Table.Td>
        <State of={outcome} />
      </Table.Td>
      <Table.Td className="said">
        <Text size="sm" className="mono said">
          {request.class} {request.action} {request.target}
        </Text>
        <Badge size="sm" variant="outline" tt="none">
          {risk} risk
        </Badge>
        {reason !== null && (
          <Text size="sm" c="dimmed" className="said">
            {reason}
          </Text>
        )}
      </Table.Td>
      <Table.Td className="said">{request.actor}</Table.Td>
      <Table.Td className="said">{rule_id ?? decided_by ?? 'the policy'}</Table.Td>
      <Table.Td>
        <Ago at={decided_at} />
      </Table.Td>
    </Table.Tr>
  );
}
