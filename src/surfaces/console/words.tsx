import { Anchor, Badge, Button, Group, Stack, Table, Text } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { Fault, Json, type Schemas, useAccount, useAction } from './data.tsx';

const COLORS: Readonly<Record<string, string>> = {
  COMPLETED: 'green',
  SUCCEEDED: 'green',
  ACTIVE: 'green',
  approved: 'green',
  granted: 'green',
  delivered: 'green',
  closed: 'green',
  byte_equal: 'green',
  FAILED: 'red',
  denied: 'red',
  dead: 'red',
  open: 'red',
  tamper_detected: 'red',
  could_not_be_made: 'red',
  CANCELED: 'gray',
  CLOSED: 'gray',
  INPUT_REQUIRED: 'yellow',
  AUTH_REQUIRED: 'yellow',
  pending: 'yellow',
  escalated: 'yellow',
  diverged: 'yellow',
};

/** A state in colour and in words. */
export function State({ of }: { of: string }) {
  return (
    <Badge color={COLORS[of] ?? 'blue'} variant="light" tt="none">
      {of.toLowerCase().replaceAll('_', ' ')}
    </Badge>
  );
}

/** A table that is wider than a phone: it scrolls, also by the keyboard (WCAG 2.1.1). */
export function Wide({ width, children }: { width: number; children: ReactNode }) {
  return (
    <Table.ScrollContainer minWidth={width} type="native" tabIndex={0}>
      {children}
    </Table.ScrollContainer>
  );
}

/** Parts of a message as what they are. Text of agents is text: neither markup nor Markdown is run. */
export function Parts({ of }: { of: readonly Schemas['Part'][] }) {
  return (
    <Stack gap="xs">
      {of.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of a message never change their place
        <Part key={at} of={part} />
      ))}
    </Stack>
  );
}

function Part({ of: part }: { of: Schemas['Part'] }) {
  switch (part.type) {
    case 'text':
      return <Said text={part.text} />;
    case 'json':
      return isChange(part.value) ? <FileChange of={part.value} /> : <Json value={part.value} />;
    case 'tool_call':
      return (
        <>
          <Text size="sm" fw={600}>
            calls {part.name}
          </Text>
          <Deed of={part.input} />
        </>
      );
    case 'tool_result':
      return (
        <>
          <Text size="sm" fw={600}>
            result <State of={part.status === 'ok' ? 'SUCCEEDED' : 'FAILED'} />
          </Text>
          {typeof part.output === 'string' ? <Said text={part.output} /> : <Json value={part.output} />}
        </>
      );
    case 'artifact_ref':
    case 'image_ref':
      return <Artifact id={part.artifact_id} />;
    case 'file_ref':
      return (
        <Text className="mono said">
          File {part.uri} ({part.mime_type})
        </Text>
      );
    default:
      return <Json value={part} />;
  }
}

/** Texts that are shown whole in the page; the rest is for a file. */
const MOST_TEXT = 100_000;
/** Pictures that run nothing: an SVG is shown as its text. */
const PICTURES = /^image\/(?:png|jpeg|gif|webp|avif)$/;

type Content = { text: string } | { picture: string } | { file: true };

/** An artifact as what it is: text, JSON, a diff, a picture, or a file to take along. Loaded when it is asked for. */
export function Artifact({
  id,
  label,
  mime,
  isOpen = false,
}: {
  id: string;
  label?: string;
  mime?: string | undefined;
  isOpen?: boolean;
}) {
  const { client } = useAccount();
  const [content, setContent] = useState<Content & { type: string; size: number }>();
  const { fault, isBusy, act } = useAction();
  const picture = content !== undefined && 'picture' in content ? content.picture : undefined;
  useEffect(() => () => void (picture !== undefined && URL.revokeObjectURL(picture)), [picture]);
  const read = async () => {
    const path = '/v1/artifacts/{artifact_id}/content';
    const { data, response } = await client.http.GET(path, {
      params: { path: { artifact_id: id } },
      parseAs: 'blob',
    });
    return { blob: data as unknown as Blob, type: response.headers.get('content-type') ?? '' };
  };
  const show = () =>
    act(async () => {
      const { blob, type } = await read();
      const [plain = ''] = (mime ?? type).split(';');
      const { size } = blob;
      if (PICTURES.test(plain))
        setContent({ type: plain, size, picture: URL.createObjectURL(new Blob([blob], { type: plain })) });
      else if (size <= MOST_TEXT && isText(plain)) setContent({ type: plain, size, text: await blob.text() });
      else setContent({ type: plain, size, file: true });
    });
  // biome-ignore lint/correctness/useExhaustiveDependencies: shown once, when it appears
  useEffect(() => {
    if (isOpen) void show();
  }, [id]);
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Text size="sm" fw={600} className="said">
          {label ?? id}
        </Text>
        {content !== undefined && (
          <Text size="sm" c="dimmed">
            {content.type}, {content.size} bytes
          </Text>
        )}
        {content === undefined && (
          <Button size="compact-xs" variant="light" loading={isBusy} onClick={() => void show()}>
            Show
          </Button>
        )}
        <Button
          size="compact-xs"
          variant="subtle"
          onClick={() => void act(async () => saveBlob(label ?? id, (await read()).blob))}
        >
          Save as a file
        </Button>
      </Group>
      {fault !== undefined && <Fault of={fault} />}
      {content !== undefined && 'text' in content && <Written text={content.text} type={content.type} />}
      {content !== undefined && 'picture' in content && (
        <img src={content.picture} alt={label ?? id} className="picture" />
      )}
    </Stack>
  );
}

const isText = (type: string) =>
  type.startsWith('text/') || /(?:json|xml|yaml|javascript|csv|x-sh|x-diff|svg)/.test(type);

function Written({ text, type }: { text: string; type: string }) {
  if (/json/.test(type)) {
    try {
      return <Json value={JSON.parse(text)} />;
    } catch {
      // It says to be JSON and is none: shown as the text it is.
    }
  }
  return <Said text={text} />;
}

/** A file as it was and as it is to be, as agents that speak ACP say it. */
interface ChangedFile {
  path: string;
  old_text: string | null;
  new_text: string;
}

function isChange(value: unknown): value is ChangedFile {
  const { path, old_text, new_text } = (value ?? {}) as Partial<ChangedFile>;
  const isOld = old_text === null || typeof old_text === 'string';
  return typeof path === 'string' && typeof new_text === 'string' && isOld;
}

export function FileChange({ of: { path, old_text, new_text } }: { of: ChangedFile }) {
  return (
    <Stack gap={2} component="section" aria-label={`Change of ${path}`}>
      <Text className="mono said">{path}</Text>
      <Change before={old_text ?? ''} after={new_text} />
    </Stack>
  );
}

/** Unchanged lines that are shown around a change. */
const CONTEXT = 3;

/** What a call would do: the command, the change of a file, the address; the rest as JSON. */
export function Deed({ of }: { of: unknown }) {
  if (typeof of === 'string') return <Said text={of} />;
  if (typeof of !== 'object' || of === null) return <Json value={of} />;
  const input = of as Record<string, unknown>;
  const command = textOf(input['command'] ?? input['cmd'], input['args']);
  const diff = typeof input['diff'] === 'string' ? input['diff'] : input['patch'];
  const [before, after] = [input['old_text'] ?? input['oldText'], input['new_text'] ?? input['newText']];
  const path = input['path'] ?? input['file'];
  return (
    <Stack gap={4}>
      {command !== undefined && (
        <Text className="mono said command" data-deed="command">
          $ {command}
        </Text>
      )}
      {typeof path === 'string' && <Text className="mono said">{path}</Text>}
      {typeof diff === 'string' && <Said text={diff} />}
      {typeof after === 'string' && (
        <Change before={typeof before === 'string' ? before : ''} after={after} />
      )}
      <Json value={of} />
    </Stack>
  );
}

function textOf(command: unknown, args: unknown): string | undefined {
  const words = [command, ...(Array.isArray(args) ? args : [])].flat();
  return typeof words[0] === 'string' ? words.map(String).join(' ') : undefined;
}

/** Lines that go and lines that come; those before and after the change that stay are shown as they are. */
function Change({ before, after }: { before: string; after: string }) {
  const [one, other] = [before.split('\n'), after.split('\n')];
  let head = 0;
  while (head < one.length && one[head] === other[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(one.length, other.length) - head && one.at(-1 - tail) === other.at(-1 - tail))
    tail += 1;
  const lines = [
    ...one.slice(Math.max(0, head - CONTEXT), head).map((line) => ['kept', ` ${line}`]),
    ...one.slice(head, one.length - tail).map((line) => ['removed', `-${line}`]),
    ...other.slice(head, other.length - tail).map((line) => ['added', `+${line}`]),
    ...one
      .slice(one.length - tail)
      .slice(0, CONTEXT)
      .map((line) => ['kept', ` ${line}`]),
  ].filter(([, line]) => line !== '-');
  return (
    <div className="mono said">
      {lines.map(([kind, line], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of a change never change their place
        <div key={at} className={kind}>
          {line}
        </div>
      ))}
    </div>
  );
}

/** A diff is shown as one; any other text as it is. */
export function Said({ text }: { text: string }) {
  if (!isDiff(text)) return <Text className="said">{text}</Text>;
  return (
    <div className="mono said">
      {text.split('\n').map((line, at) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of a diff never change their place
          key={at}
          className={line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : undefined}
        >
          {line === '' ? '\u00a0' : line}
        </div>
      ))}
    </div>
  );
}

const isDiff = (text: string) => /^(?:diff --git |--- .*\n\+\+\+ )/m.test(text) && /^@@ /m.test(text);

/** The text of a message in one line. */
export function briefly(input: unknown): string {
  const { parts = [] } = (input ?? {}) as { parts?: { type: string; text?: string; value?: unknown }[] };
  const text = parts
    .map(({ type, text, value }) => text ?? (value === undefined ? `[${type}]` : JSON.stringify(value)))
    .join(' ');
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

/** A link that only leads to a page of the web: a name with another scheme stays text. */
export function Outside({ href }: { href: string }) {
  const isWeb = /^https?:\/\//i.test(href);
  if (!isWeb) return <Text className="mono said">{href}</Text>;
  return (
    <Anchor href={href} target="_blank" rel="noopener noreferrer" className="mono said">
      {href}
    </Anchor>
  );
}

/** Leaves bytes with the browser as a file. */
export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name.replaceAll(/[^\w.-]/g, '_');
  link.click();
  setTimeout(() => URL.revokeObjectURL(url));
}

export const saveJson = (name: string, value: unknown) =>
  saveBlob(name, new Blob([JSON.stringify(value)], { type: 'application/json' }));

export interface Difference {
  path: string;
  before: unknown;
  after: unknown;
}

/** The members that differ, each by its path, in the order of the paths. */
export function differences(before: unknown, after: unknown, path = ''): Difference[] {
  if (Object.is(before, after)) return [];
  if (typeof before !== 'object' || typeof after !== 'object' || before === null || after === null)
    return [{ path, before, after }];
  const [one, other] = [before as Record<string, unknown>, after as Record<string, unknown>];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .sort()
    .flatMap((name) => differences(one[name], other[name], path === '' ? name : `${path}.${name}`));
}

/** A server of tools takes no messages: each of its tools is tried by its own schema. */
export const isToolServer = (route: string) => route.startsWith('mcp:');
