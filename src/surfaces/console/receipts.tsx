import {
  Alert,
  Anchor,
  Badge,
  Button,
  Card,
  Group,
  NumberInput,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { HarnClient } from '../../client/index.ts';
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
import {
  type PublicKey,
  type Verdict,
  verifyChain,
  verifyConsistency,
  verifyHead,
  verifyInclusion,
} from './verify.ts';
import { State } from './words.tsx';

type Receipt = Schemas['Receipt'];
type Head = Schemas['ReceiptLogHead'];

/** The public keys, those that were revoked too: what one signed before may still count. */
export async function keysOf(client: HarnClient): Promise<PublicKey[]> {
  const { keys, revoked_keys } = (await client.get('/.well-known/jwks.json')) as Schemas['KeySet'];
  return [...keys, ...revoked_keys];
}

/** The chain of one session, link by link, verified in this page: it trusts the public keys, and not what the gateway says. */
export default function Receipts({ session }: { session?: string }) {
  const [, go] = useLocation();
  const [id, setId] = useState(session ?? '');
  return (
    <Stack>
      <Title order={1} size="h2">
        Receipts
      </Title>
      <Text size="sm" c="dimmed" maw="46rem">
        Every task leaves a signed receipt that names the one before it. This page hashes and verifies each
        link itself, against the public keys of /.well-known/jwks.json: a gateway that altered one could not
        hide it.
      </Text>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (id.trim() !== '') go(`/receipts/${id.trim()}`);
        }}
      >
        <Group align="end">
          <TextInput
            label="Session"
            placeholder="session_…"
            value={id}
            onChange={({ currentTarget }) => setId(currentTarget.value)}
            miw={280}
          />
          <Button type="submit">Verify</Button>
        </Group>
      </form>
      <LogOfAll />
      {session === undefined ? (
        <Text c="dimmed">
          Name a session above, or open one from <Link href="/sessions">Sessions</Link> and press Receipts.
        </Text>
      ) : (
        <Chain key={session} session={session} />
      )}
    </Stack>
  );
}

/** What this browser kept of a log: heads are public, so they may outlive the page. */
const KEPT = 'harn-console-head:';

function keptHead(logId: string): Head | undefined {
  try {
    return JSON.parse(localStorage.getItem(KEPT + logId) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

/** Consistency of two sizes of the log, of which the older root is the one that was kept, where one was. */
async function compare(client: HarnClient, first: { size: number; root?: string }, second: number) {
  const path = '/v1/receipt-log/consistency';
  const answer = await client.get(path, { params: { query: { first: first.size, second } } });
  const root = first.root ?? answer.first.root;
  return verifyConsistency({ size: first.size, root }, answer.second, answer.proof);
}

/** The signed head of the log of all receipts, and whether the log only grew since this browser last looked. */
function LogOfAll() {
  const log = useLoaded(async (client) => {
    const head = await client.get('/v1/receipt-log/head');
    const signed = await verifyHead(head, await keysOf(client));
    const kept = keptHead(head.log_id);
    const grown =
      kept === undefined || kept.size === 0 || kept.size > head.size
        ? kept && (await verifyConsistency(kept, head, []))
        : await compare(client, kept, head.size);
    if (signed.ok && grown?.ok !== false) localStorage.setItem(KEPT + head.log_id, JSON.stringify(head));
    return { head, signed, kept, grown };
  });
  return (
    <Shown of={log} empty="">
      {({ head, signed, kept, grown }) => (
        <Card withBorder component="section" aria-label="Log of all receipts">
          <Group gap="xs">
            <Text fw={600}>Log of all receipts</Text>
            <Badge variant="light" tt="none">
              {head.size} leaves
            </Badge>
            <Judged of={signed} good="signature verified here" />
            {grown !== undefined && (
              <Judged of={grown} good={`only grew since ${kept?.timestamp.slice(0, 16).replace('T', ' ')}`} />
            )}
            <AsCurl path="/v1/receipt-log/head" />
          </Group>
          <Text className="mono said" size="xs">
            {head.root}
          </Text>
          <Wrong of={signed} />
          {grown !== undefined && <Wrong of={grown} />}
          <Between head={head} />
        </Card>
      )}
    </Shown>
  );
}

/** Two sizes of the log that the reader names. */
function Between({ head }: { head: Head }) {
  const { client } = useAccount();
  const [first, setFirst] = useState(Math.max(1, Math.floor(head.size / 2)));
  const [second, setSecond] = useState(head.size);
  const [verdict, setVerdict] = useState<Verdict>();
  const { fault, isBusy, act } = useAction();
  if (head.size < 2) return null;
  const bound = (value: number | string) => Math.min(head.size, Math.max(1, Number(value) || 1));
  return (
    <Stack gap={4} mt="xs">
      <Group align="end" gap="xs">
        <NumberInput
          label="From size"
          w={110}
          min={1}
          max={head.size}
          value={first}
          onChange={(value) => setFirst(bound(value))}
        />
        <NumberInput
          label="To size"
          w={110}
          min={1}
          max={head.size}
          value={second}
          onChange={(value) => setSecond(bound(value))}
        />
        <Button
          variant="default"
          loading={isBusy}
          onClick={() => void act(async () => setVerdict(await compare(client, { size: first }, second)))}
        >
          Check consistency
        </Button>
        {verdict !== undefined && <Judged of={verdict} good="the second is the first, grown" />}
      </Group>
      {verdict !== undefined && <Wrong of={verdict} />}
      {fault !== undefined && <Fault of={fault} />}
    </Stack>
  );
}

function Judged({ of, good }: { of: Verdict; good: string }) {
  return (
    <Badge color={of.ok ? 'green' : 'red'} tt="none">
      {of.ok ? good : `fails: ${of.step}`}
    </Badge>
  );
}

/** What was expected and what is there, where something does not verify. */
export function Wrong({ of }: { of: Verdict }) {
  if (of.ok) return null;
  return (
    <Alert color="red" role="alert" mt="xs" title={`Step ${of.step} fails`}>
      <Text className="mono said">expected {of.expected}</Text>
      <Text className="mono said">observed {of.observed}</Text>
    </Alert>
  );
}

interface Linked {
  receipt: Receipt;
  proof: Schemas['ReceiptLogInclusion'];
}

/** The receipts of a session in the order of the log, each with the proof that it is in there. */
async function chainOf(client: HarnClient, session: string) {
  const path = { session_id: session };
  const tasks = await everything((cursor) =>
    client.get('/v1/sessions/{session_id}/tasks', { params: { path, query: pageAt(cursor) } }),
  );
  const links: Linked[] = [];
  for (const { id } of tasks) {
    const receipts = await everything((cursor) =>
      client.get('/v1/tasks/{task_id}/receipts', {
        params: { path: { task_id: id }, query: pageAt(cursor) },
      }),
    );
    for (const receipt of receipts) {
      const query = { receipt_id: receipt.id };
      links.push({ receipt, proof: await client.get('/v1/receipt-log/inclusion', { params: { query } }) });
    }
  }
  return links.sort((one, other) => one.proof.index - other.proof.index);
}

function Chain({ session }: { session: string }) {
  const chain = useLoaded(async (client) => {
    const [links, keys] = await Promise.all([chainOf(client, session), keysOf(client)]);
    const verdicts = await verifyChain(
      links.map(({ receipt }) => receipt),
      keys,
    );
    for (const [at, { receipt, proof }] of links.entries()) {
      if (verdicts[at]?.ok !== true) break;
      verdicts[at] = await inLog(receipt, proof, keys);
    }
    return { links, verdicts };
  });
  return (
    <Shown
      of={chain}
      isEmpty={({ links }) => links.length === 0}
      empty="No receipt yet: a task leaves one when it ends. Send a message in this session, then come back."
    >
      {({ links, verdicts }) => (
        <>
          <Summary verdicts={verdicts} count={links.length} />
          <Stack gap={0} component="ol" p={0} m={0} className="chain">
            {links.map(({ receipt, proof }, at) => (
              <LinkOfChain key={receipt.id} of={receipt} proof={proof} verdict={verdicts[at]} at={at} />
            ))}
          </Stack>
        </>
      )}
    </Shown>
  );
}

/** Whether the receipt is in the log under a signed head. */
async function inLog(receipt: Receipt, proof: Linked['proof'], keys: readonly PublicKey[]): Promise<Verdict> {
  const { chain } = receipt.wire.payload as unknown as { chain: { receipt_hash: string } };
  const signed = await verifyHead(proof.head, keys);
  return signed.ok ? verifyInclusion(chain.receipt_hash, proof, proof.head.root) : signed;
}

function Summary({ verdicts, count }: { verdicts: readonly Verdict[]; count: number }) {
  const bad = verdicts.findIndex(({ ok }) => !ok);
  return (
    <Text role="status" fw={600} className={bad < 0 ? 'good' : 'bad'}>
      {bad < 0
        ? `All ${count} receipts verify: content, link, signature, and their place in the log.`
        : `Receipt ${bad} does not verify. Those after it cannot be judged.`}
    </Text>
  );
}

function LinkOfChain({
  of,
  proof,
  verdict,
  at,
}: {
  of: Receipt;
  proof: Linked['proof'];
  verdict: Verdict | undefined;
  at: number;
}) {
  const [isOpen, setOpen] = useState(false);
  const { chain, lifecycle } = of.wire.payload as unknown as {
    chain: { receipt_hash: string; previous_receipt_hash?: string | null };
    lifecycle: { final_state: string };
  };
  return (
    <Card withBorder component="li" className={verdict?.ok === false ? 'link broken' : 'link'}>
      <Group gap="xs">
        <Text className="mono">{at}</Text>
        {verdict === undefined ? (
          <Badge color="gray" tt="none">
            cannot be judged
          </Badge>
        ) : (
          <Badge color={verdict.ok ? 'green' : 'red'} tt="none">
            {verdict.ok ? 'verified here' : `tampered: ${verdict.step}`}
          </Badge>
        )}
        <State of={lifecycle.final_state} />
        <Anchor
          component="button"
          type="button"
          className="mono"
          onClick={() => setOpen(!isOpen)}
          aria-expanded={isOpen}
        >
          {of.id}
        </Anchor>
        <Text size="sm" c="dimmed">
          leaf {proof.index} of {proof.size} · <Ago at={of.issued_at} />
        </Text>
        <AsCurl path={`/v1/receipts/${of.id}`} />
      </Group>
      <Text className="mono said" size="xs" c="dimmed">
        {chain.receipt_hash}
        {chain.previous_receipt_hash != null && ` after ${chain.previous_receipt_hash.slice(0, 19)}…`}
      </Text>
      {verdict !== undefined && <Wrong of={verdict} />}
      {isOpen && <Json value={of.wire} />}
    </Card>
  );
}
