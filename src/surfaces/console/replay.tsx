import { Anchor, Badge, Button, Card, Group, JsonInput, Select, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import type { HarnClient, StreamedEvent } from '../../client/index.ts';
import { AsCurl, everything, Fault, Json, pageAt, Shown, useAccount, useAction, useLoaded } from './data.tsx';
import { useMay } from './rights.tsx';
import { briefly, differences, State } from './words.tsx';

/** A frame of the record: what an agent or a tool answered, by the key that an override names. */
interface Frame {
  key: string;
  kind: string;
  value: unknown;
}

interface Verdict {
  status: string;
  event_id?: string;
  path?: string;
  expected?: string;
  observed?: string;
}

/** A run and its replay, event by event. */
interface Compared {
  verdict: Verdict | undefined;
  message: string;
  rows: { before: StreamedEvent | undefined; after: Replayed | undefined }[];
}

interface Replayed {
  event: string;
  /** Null where it came of a substitute: only its hash is kept. */
  payload: unknown;
  equal: boolean;
}

/** Runs a task again, with one recorded answer in another place if wanted, and puts the two runs side by side. */
export default function Replay({ task: id }: { task: string }) {
  const { client } = useAccount();
  const may = useMay();
  const { fault, isBusy, act } = useAction();
  const [key, setKey] = useState<string | null>(null);
  const [text, setText] = useState('');
  const [compared, setCompared] = useState<Compared>();
  const task = useLoaded((of) => of.get('/v1/tasks/{task_id}', { params: { path: { task_id: id } } }), [id]);
  const frames = useLoaded((of) => framesOf(of, id), [id]);
  const chosen = frames.value?.find((frame) => frame.key === key);
  const given = parsed(text);
  const body =
    chosen === undefined
      ? { mode: 'exact' as const }
      : {
          mode: 'with_overrides' as const,
          override: {
            // What comes of it is to be read beside the recorded run.
            [chosen.key]: {
              kind: chosen.kind as 'llm_provider_response',
              value: given as never,
              visibility: 'public' as const,
            },
          },
        };
  const run = () =>
    act(async () => {
      const replay = await client.post('/v1/tasks/{task_id}/replay', {
        params: { path: { task_id: id } },
        body,
      });
      setCompared(await compare(client, id, replay.id));
    });
  return (
    <Stack>
      <Title order={1} size="h2">
        Replay
      </Title>
      <Shown of={task} empty="">
        {({ status, input, session_id, assigned_agent_id }) => (
          <Group gap="xs">
            <State of={status} />
            <Text className="said">{briefly(input)}</Text>
            <Text c="dimmed">{assigned_agent_id}</Text>
            <Anchor component={Link} href={`/sessions/${session_id}`} size="sm">
              Open the session
            </Anchor>
          </Group>
        )}
      </Shown>
      <Text size="sm" c="dimmed" maw="46rem">
        The run is made again from what was recorded: no agent is called, and time and chance are those of the
        record. Put another answer in the place of a recorded one to see where the run would have gone.
      </Text>
      <Shown
        of={frames}
        empty="Nothing was recorded of this run that could be replaced; it can still be run again as it was."
      >
        {(list) => (
          <Select
            label="Recorded answer to replace"
            placeholder="None: run it again as it was"
            data={list.map((frame) => frame.key)}
            value={key}
            clearable
            maw={420}
            onChange={(value) => {
              setKey(value);
              setText(JSON.stringify(list.find((frame) => frame.key === value)?.value, undefined, 2) ?? '');
            }}
          />
        )}
      </Shown>
      {chosen !== undefined && (
        <JsonInput
          label="Its other value, as JSON"
          value={text}
          onChange={setText}
          autosize
          minRows={6}
          maxRows={20}
          classNames={{ input: 'mono' }}
          validationError="This is no JSON yet."
        />
      )}
      <Group>
        {may('tasks:replay') ? (
          <Button
            loading={isBusy}
            disabled={chosen !== undefined && given === undefined}
            onClick={() => void run()}
          >
            Run it again
          </Button>
        ) : (
          <Text c="dimmed">You may not run tasks again: your key lacks the scope tasks:replay.</Text>
        )}
        <AsCurl method="POST" path={`/v1/tasks/${id}/replay`} body={body} />
      </Group>
      {fault !== undefined && <Fault of={fault} />}
      {compared !== undefined && <Side of={compared} />}
    </Stack>
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The frames with their values, where the reader may export the session; their keys otherwise. */
async function framesOf(client: HarnClient, task_id: string): Promise<Frame[]> {
  const listed = await everything((cursor) =>
    client.get('/v1/tasks/{task_id}/materials', { params: { path: { task_id }, query: pageAt(cursor) } }),
  );
  const contents = await contentsOf(client, task_id);
  return listed.map(({ id, kind }) => ({ key: id, kind, value: contents.get(id) ?? null }));
}

/** What is in the frames: a bundle of the task has them, if one may be made. */
async function contentsOf(client: HarnClient, task_id: string): Promise<Map<string, unknown>> {
  try {
    const bundle = await client.post('/v1/bundles/export', { body: { task_id, mode: 'local' } });
    const { run_record } =
      (bundle as { replay?: { run_record?: { harn_gateway?: { frames?: unknown[] } } } }).replay ?? {};
    const frames = (run_record?.harn_gateway?.frames ?? []) as {
      key: string;
      task_id: string;
      content: unknown;
    }[];
    return new Map(
      frames.filter((frame) => frame.task_id === task_id).map(({ key, content }) => [key, content]),
    );
  } catch {
    // Without the right to export, an override is written from nothing.
    return new Map();
  }
}

const ENDS = /^task\.(?:completed|failed|canceled)$/;

/** Follows the replay to its end and lays its events beside the recorded ones. */
async function compare(client: HarnClient, source: string, replay: string): Promise<Compared> {
  const read = async (task_id: string) =>
    everything((cursor) =>
      client.get('/v1/tasks/{task_id}/events', { params: { path: { task_id }, query: pageAt(cursor) } }),
    );
  const after: StreamedEvent[] = [];
  for await (const event of client.events('/v1/tasks/{task_id}/stream', {
    params: { path: { task_id: replay } },
  }))
    after.push(event);
  const recordedRun = await read(source);
  const byId = new Map(recordedRun.map((event) => [event.id, event]));
  const rows: Compared['rows'] = after.flatMap((event) => {
    if (event.event !== 'replay.event_replayed') return [];
    const recorded = event.replay?.original_event_id;
    return [
      {
        before: recorded == null ? undefined : byId.get(recorded),
        after: event.payload as unknown as Replayed,
      },
    ];
  });
  // What the replay did not come to stands alone, up to the end of the recorded run.
  const met = new Set(rows.map(({ before }) => before?.id));
  const last = recordedRun.findLastIndex(({ id }) => met.has(id));
  const ended = recordedRun.findLastIndex(({ event }) => ENDS.test(event));
  if (last >= 0)
    rows.push(...recordedRun.slice(last + 1, ended + 1).map((before) => ({ before, after: undefined })));
  const end = after.find(({ event }) => /^replay\.(?:completed|failed)$/.test(event));
  const ending = after.findLast(({ event }) => /^task\.(?:completed|failed)$/.test(event));
  const { verdict, message } = (end?.payload ?? {}) as { verdict?: Verdict; message?: string };
  const { outcome } = (ending?.payload ?? {}) as { outcome?: { summary?: string } };
  return { verdict, message: message ?? outcome?.summary ?? '', rows };
}

function Side({ of: { verdict, message, rows } }: { of: Compared }) {
  const first = rows.findIndex(({ after }) => after?.equal !== true);
  return (
    <Stack>
      <Card withBorder role="status" aria-label="Verdict">
        <Group gap="xs">
          {verdict !== undefined && <State of={verdict.status} />}
          <Text fw={600} className="said">
            {inWords(verdict, rows[first], first)}
          </Text>
        </Group>
        {message !== '' && (
          <Text size="sm" className="said">
            {message}
          </Text>
        )}
        {verdict?.path !== undefined && (
          <Text className="mono said" size="xs">
            at {verdict.path}: expected {verdict.expected}, observed {verdict.observed}
          </Text>
        )}
      </Card>
      <table className="sides" aria-label="Both runs">
        <thead>
          <tr>
            <th>As recorded</th>
            <th>As replayed</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ before, after }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: events of a run never change their place
            <tr key={at} className={at === first ? 'differs' : undefined}>
              <OneSide event={before?.event} payload={before?.payload} isOpen={at === first} />
              <OneSide
                event={after?.event}
                payload={after?.payload}
                isOpen={at === first}
                mark={after?.equal === true ? undefined : at === first ? 'first difference' : 'differs'}
              />
            </tr>
          ))}
        </tbody>
      </table>
    </Stack>
  );
}

function OneSide({
  event,
  payload,
  isOpen,
  mark,
}: {
  event: string | undefined;
  payload: unknown;
  isOpen: boolean;
  mark?: string | undefined;
}) {
  if (event === undefined) return <td>{mark === undefined ? '-' : `Did not come: ${mark}`}</td>;
  return (
    <td>
      <details open={isOpen}>
        <summary className="mono">
          {event}{' '}
          {mark !== undefined && (
            <Badge color="yellow" tt="none">
              {mark}
            </Badge>
          )}
        </summary>
        {payload === null ? (
          <Text size="sm" c="dimmed">
            It came of the other answer: only its hash is kept.
          </Text>
        ) : (
          <Json value={payload} />
        )}
      </details>
    </td>
  );
}

/** The first difference, in words. */
function inWords(
  verdict: Verdict | undefined,
  row: Compared['rows'][number] | undefined,
  at: number,
): string {
  if (verdict?.status === 'byte_equal') return 'Every event came out as it is recorded, byte for byte.';
  if (verdict?.status === 'tamper_detected')
    return 'The record is not what was written: nothing was run. See where, below.';
  if (row === undefined) return 'Another run came out.';
  const { before, after } = row;
  const place = `Event ${at + 1}`;
  if (after === undefined) return `${place}, ${before?.event}, did not come: the run ended before it.`;
  if (before === undefined) return `${place} is new: ${after.event} where the recorded run had ended.`;
  if (before.event !== after.event) return `${place} is ${after.event} and was ${before.event}.`;
  if (after.payload === null) return `${place}, ${after.event}, came out with other content.`;
  const [member] = differences(before.payload, after.payload);
  return member === undefined
    ? `${place}, ${after.event}, came out otherwise.`
    : `${place}, ${after.event}: ${member.path} is ${short(member.after)} and was ${short(member.before)}.`;
}

const short = (value: unknown) => {
  const text = value === undefined ? 'absent' : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
};
