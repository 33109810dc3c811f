import {
  Anchor,
  Badge,
  Button,
  Card,
  Group,
  Kbd,
  Select,
  Stack,
  Table,
  Tabs,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
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
import { blank, fieldsOf, gapsOf, SchemaForm } from './form.tsx';
import { usePending } from './questions.tsx';
import { useMay } from './rights.tsx';
import { Deed, FileChange, Outside, Said, State, Wide } from './words.tsx';

type Asked = Schemas['PermissionRequest'];
type Answer = Schemas['PermissionResponseRequest'];
export default function Approvals() {
  return (
    <Stack>
      <Title order={1} size="h2">
        Approvals
      </Title>
      <Tabs defaultValue="queue" keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="queue">Waiting</Tabs.Tab>
          <Tabs.Tab value="remembered">Remembered</Tabs.Tab>
          <Tabs.Tab value="before">Answered before</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="queue" pt="sm">
          <Queue />
        </Tabs.Panel>
        <Tabs.Panel value="remembered" pt="sm">
          <Remembered />
        </Tabs.Panel>
        <Tabs.Panel value="before" pt="sm">
          <Before />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

function Queue() {
  const pending = usePending();
  const may = useMay();
  const [chosen, setChosen] = useState<string>();
  const list = pending.value ?? [];
  const at = Math.max(
    0,
    list.findIndex(({ id }) => id === chosen),
  );
  const step = (by: number) => setChosen(list[Math.min(list.length - 1, Math.max(0, at + by))]?.id);
  useHotkeys([
    ['j', () => step(1)],
    ['k', () => step(-1)],
  ]);
  return (
    <Stack>
      <Group>
        <AsCurl path="/v1/permission-requests" />
        {may('permissions:respond') ? (
          <Text size="sm" c="dimmed">
            <Kbd>j</Kbd> <Kbd>k</Kbd> choose, <Kbd>a</Kbd> approves, <Kbd>d</Kbd> denies the chosen one.
          </Text>
        ) : (
          <Text size="sm" c="dimmed">
            You may read these, and not answer: your key lacks the scope permissions:respond.
          </Text>
        )}
      </Group>
      <Shown
        of={pending}
        empty="Nothing waits for you. Questions of editors, agents, tool servers and policies appear here as soon as they are asked."
      >
        {() => (
          <Stack component="ul" p={0} m={0} className="plain" aria-label="Waiting questions">
            {list.map((one, place) => (
              <li key={one.id}>
                <Question
                  of={one}
                  onAnswered={pending.reload}
                  isChosen={place === at}
                  hasKeys={place === at}
                />
              </li>
            ))}
          </Stack>
        )}
      </Shown>
    </Stack>
  );
}

const KINDS: Readonly<Record<string, string>> = {
  authorization: 'wants you to sign in',
  elicitation: 'asks',
  tool: 'wants to run',
};
const SCOPES = [
  { value: 'once', label: 'This time only' },
  { value: 'session', label: 'Remember for this session' },
  { value: 'workspace', label: 'Remember for this workspace' },
  { value: 'user', label: 'Remember for this user' },
  { value: 'always', label: 'Remember always' },
];

/** One question: what is asked, by whom, what it would do, and who may answer. */
export function Question({
  of,
  onAnswered,
  hasKeys = false,
  isChosen = false,
}: {
  of: Asked;
  onAnswered: () => void;
  hasKeys?: boolean;
  isChosen?: boolean;
}) {
  const { client } = useAccount();
  const may = useMay();
  const { fault, isBusy, act } = useAction();
  const { kind, message, options, tool_call, requested_schema, url, approvals, expires_at } = of.request;
  const [filled, setFilled] = useState(blank(requested_schema));
  const [text, setText] = useState('');
  const [scope, setScope] = useState<string>('once');
  const box = useRef<HTMLDivElement>(null);
  const agent = useLoaded(
    async (from) =>
      of.task_id === null
        ? undefined
        : (await from.get('/v1/tasks/{task_id}', { params: { path: { task_id: of.task_id } } }))
            .assigned_agent_id,
    [of.task_id],
  );
  const hasForm = kind === 'elicitation' && fieldsOf(requested_schema).length > 0;
  const wantsText = kind === 'elicitation' && !hasForm && options.length === 0;
  const gaps = hasForm
    ? gapsOf(requested_schema, filled)
    : wantsText && text.trim() === ''
      ? ['your answer']
      : [];
  const mayAnswer = may('permissions:respond');
  useEffect(() => {
    if (isChosen && hasKeys) box.current?.scrollIntoView({ block: 'nearest' });
  }, [isChosen, hasKeys]);

  const answer = async (body: Answer) => {
    const path = { request_id: of.id };
    if (
      await act(() => client.post('/v1/permission-requests/{request_id}/respond', { params: { path }, body }))
    )
      onAnswered();
  };
  const remembering = (): Answer =>
    scope === 'once' ? {} : { remember: true, scope: scope as Exclude<Answer['scope'], undefined> };
  // What was looked at is what is answered: another input is refused.
  const seen = (): Answer =>
    tool_call?.input_sha256 === undefined ? {} : { input_sha256: tool_call.input_sha256 };
  const approve = () => {
    if (gaps.length > 0) return;
    const given = hasForm ? { answer: filled.values as never } : wantsText ? { answer: text } : {};
    void answer({ approved: true, ...given, ...remembering(), ...seen() });
  };
  const deny = () => void answer({ approved: false, ...remembering(), ...seen() });
  const allows = options.find((option) => option.kind === 'allow_once');
  const rejects = options.find((option) => option.kind === 'reject_once');
  const choose = (option_id: string) => void answer({ answer: { option_id }, ...remembering(), ...seen() });
  useHotkeys(
    hasKeys && mayAnswer
      ? [
          ['a', () => (allows === undefined ? approve() : choose(allows.option_id))],
          ['d', () => (rejects === undefined ? deny() : choose(rejects.option_id))],
        ]
      : [],
  );
  return (
    <Card
      ref={box}
      withBorder
      component="article"
      className={isChosen ? 'question chosen' : 'question'}
      aria-label={`Question ${of.id}`}
      data-request={of.id}
    >
      <Group gap="xs">
        <State of={of.status} />
        <Text fw={600} className="said">
          {agent.value ?? (of.source === 'acp' ? 'An editor' : 'The gateway')} {KINDS[kind] ?? kind}
          {tool_call !== undefined && ` ${tool_call.name}`}
        </Text>
        <Badge variant="outline" tt="none">
          {of.source === 'acp' ? 'ACP permission' : kind}
        </Badge>
        {of.session_id !== null && (
          <Anchor component={Link} href={`/sessions/${of.session_id}`} size="sm">
            Open the session
          </Anchor>
        )}
        <Text size="sm" c="dimmed">
          <Ago at={of.created_at} />
        </Text>
      </Group>
      <Said text={message} />
      {url !== undefined && (
        <Text size="sm">
          It opens: <Outside href={url} />
        </Text>
      )}
      {tool_call?.input !== undefined && <Deed of={tool_call.input} />}
      <Changes of={of.metadata} />
      <Who approvals={approvals} until={expires_at} />
      {mayAnswer && hasForm && <SchemaForm schema={requested_schema} filled={filled} onFill={setFilled} />}
      {mayAnswer && wantsText && (
        <TextInput
          label="Your answer"
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
      {fault !== undefined && <Fault of={fault} />}
      {mayAnswer && (
        <Group mt="xs" align="end" gap="xs">
          {options.map(({ option_id, name, kind: means }) => (
            <Button
              key={option_id}
              size="compact-md"
              color={means.startsWith('allow') ? 'green' : 'red'}
              variant={means.startsWith('allow') ? 'filled' : 'outline'}
              disabled={isBusy}
              onClick={() => choose(option_id)}
            >
              {name}
            </Button>
          ))}
          {options.length === 0 && (
            <>
              <Button size="compact-md" color="green" disabled={isBusy || gaps.length > 0} onClick={approve}>
                {kind === 'elicitation' ? 'Answer' : 'Approve'}
              </Button>
              <Button size="compact-md" color="red" variant="outline" disabled={isBusy} onClick={deny}>
                {kind === 'elicitation' ? 'Decline' : 'Deny'}
              </Button>
            </>
          )}
          {kind === 'tool' && (
            <Select
              aria-label="Remember"
              size="xs"
              data={SCOPES}
              value={scope}
              onChange={(value) => setScope(value ?? 'once')}
              allowDeselect={false}
            />
          )}
          {gaps.length > 0 && (
            <Text size="sm" c="dimmed">
              Still to fill in: {gaps.join(', ')}
            </Text>
          )}
          <AsCurl
            method="POST"
            path={`/v1/permission-requests/${of.id}/respond`}
            body={{ approved: true, ...remembering(), ...seen() }}
          />
        </Group>
      )}
    </Card>
  );
}

interface AcpMetadata {
  acp?: {
    tool_call?: { content?: { type: string; path?: string; oldText?: string | null; newText?: string }[] };
  };
}

/** The changes of files that an agent says a call would make. */
function Changes({ of }: { of: Asked['metadata'] }) {
  const contents = (of as AcpMetadata).acp?.tool_call?.content;
  const changes = (Array.isArray(contents) ? contents : []).filter(({ type }) => type === 'diff');
  return changes.map(({ path = '', oldText = null, newText = '' }, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: what is asked does not change
    <FileChange key={at} of={{ path, old_text: oldText, new_text: newText }} />
  ));
}

/** Who may answer, how many have to, and until when. */
function Who({ approvals, until }: { approvals: Asked['request']['approvals']; until: string | undefined }) {
  const words = [
    approvals === undefined
      ? 'Anybody with the scope permissions:respond may answer.'
      : `${approvals.approved_by.length} of ${approvals.quorum} approvals${approvals.four_eyes ? ', not by who asked' : ''}${
          approvals.approved_by.length === 0 ? '.' : `: ${approvals.approved_by.join(', ')}.`
        }`,
    ...(until === undefined ? [] : [`It expires at ${until.slice(11, 19)} UTC.`]),
  ];
  return (
    <Text size="sm" c="dimmed">
      {words.join(' ')}
    </Text>
  );
}

/** Answers that hold for the same question to come; each can be forgotten. */
function Remembered() {
  const { client } = useAccount();
  const may = useMay();
  const { fault, act } = useAction();
  const answers = useLoaded((of) =>
    everything((cursor) =>
      of.get('/v1/permission-requests', {
        params: { query: { ...pageAt(cursor), remembered: 'true' } as never },
      }),
    ),
  );
  const forget = async (request_id: string) => {
    await act(() =>
      client.delete('/v1/permission-requests/{request_id}/remembered', { params: { path: { request_id } } }),
    );
    answers.reload();
  };
  return (
    <Stack>
      <Group>
        <AsCurl path="/v1/permission-requests?remembered=true" />
        <Anchor component={Link} href="/access" size="sm">
          Rules are on the page Access
        </Anchor>
      </Group>
      {fault !== undefined && <Fault of={fault} />}
      <Shown
        of={answers}
        empty="No answer is remembered. Choose how long to remember one when you answer it."
      >
        {(list) => (
          <Stack gap="xs">
            {list.map((one) => (
              <Card key={one.id} withBorder>
                <Group gap="xs">
                  <State of={one.status} />
                  <Text fw={600} className="said">
                    {one.request.tool_call?.name ?? one.request.kind}
                  </Text>
                  <Text size="sm" className="said">
                    {one.request.message}
                  </Text>
                  <Text size="sm" c="dimmed">
                    <Ago at={one.updated_at} />
                  </Text>
                  {may('permissions:respond') && (
                    <Button
                      size="compact-xs"
                      color="red"
                      variant="outline"
                      onClick={() => void forget(one.id)}
                    >
                      Forget
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

/** What was answered, newest first, by whom or by which rule. */
function Before() {
  const answered = useLoaded(async (client) => {
    const { data } = await client.get('/v1/permission-requests', { params: { query: { limit: 100 } } });
    return data.filter(({ status }) => status !== 'pending');
  });
  return (
    <Shown of={answered} empty="No question was answered yet.">
      {(list) => (
        <Wide width={520}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Answer</Table.Th>
                <Table.Th>Question</Table.Th>
                <Table.Th>By</Table.Th>
                <Table.Th>When</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {list.map((one) => (
                <Table.Tr key={one.id}>
                  <Table.Td>
                    <State of={one.status} />
                  </Table.Td>
                  <Table.Td className="said">
                    {one.request.tool_call?.name} {one.request.message}
                  </Table.Td>
                  <Table.Td>{by(one)}</Table.Td>
                  <Table.Td>
                    <Ago at={one.updated_at} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Wide>
      )}
    </Shown>
  );
}

function by({ response, request }: Asked): string {
  const { reviewer } = (response ?? {}) as { reviewer?: string | null };
  if (request.answered_by !== undefined)
    return request.answered_by.rule_id === null ? 'the policy' : `rule ${request.answered_by.rule_id}`;
  return reviewer ?? '-';
}
