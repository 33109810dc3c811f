import { Alert, Button, Code, CopyButton, Loader, Text } from '@mantine/core';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react';
import type { components, StreamedEvent } from '../../client/index.ts';
import { type Account, wordsOf } from './account.ts';
import type { Following } from './following.ts';
import { quoted } from './over.ts';

/** The shapes of resources by their names in the OpenAPI document. */
export type Schemas = components['schemas'];
export type { StreamedEvent };

export const AccountContext = createContext<Account | undefined>(undefined);

export function useAccount(): Account {
  const account = useContext(AccountContext);
  if (account === undefined) throw new Error('Nobody is signed in.');
  return account;
}

/** What a call has brought so far. */
export interface Loaded<Value> {
  value: Value | undefined;
  fault: unknown;
  reload(): void;
}

/** Calls when shown, when `keys` change, and when asked again. The last answer counts. */
export function useLoaded<Value>(
  load: (client: Account['client']) => Promise<Value>,
  keys: readonly unknown[] = [],
): Loaded<Value> {
  const { client, onReach } = useAccount();
  const [state, setState] = useState<{ value?: Value; fault?: unknown }>({});
  const [turn, setTurn] = useState(0);
  const reload = useCallback(() => setTurn((now) => now + 1), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the keys are what the call depends on
  useEffect(() => {
    let isWanted = true;
    load(client).then(
      (value) => isWanted && setState({ value }),
      (fault: unknown) => isWanted && setState((before) => ({ ...before, fault })),
    );
    return () => {
      isWanted = false;
    };
  }, [client, turn, ...keys]);
  // What was not had because the gateway was away is read when it is back.
  const isMissing = state.fault instanceof TypeError;
  useEffect(
    () => (isMissing ? onReach((isReached) => isReached && reload()) : undefined),
    [isMissing, onReach, reload],
  );
  return { value: state.value, fault: state.fault, reload };
}

/** Follows a session from its beginning while shown. Answers with what ended it, if anything did. */
export function useSessionEvents(session_id: string, onEvent: (event: StreamedEvent) => void): unknown {
  const { following } = useAccount();
  const [fault, setFault] = useState<unknown>();
  const latest = useRef(onEvent);
  latest.current = onEvent;
  useEffect(() => {
    setFault(undefined);
    return following.follow(
      { stream: 'session', session_id },
      { onEvent: (event) => latest.current(event), onEnd: setFault },
    );
  }, [following, session_id]);
  return fault;
}

/** All that happens, for as many readers as a page has. */
class Hub {
  readonly #following: Following;
  readonly #readers = new Set<(event: StreamedEvent) => void>();
  #leave: (() => void) | undefined;

  constructor(following: Following) {
    this.#following = following;
  }

  add(reader: (event: StreamedEvent) => void): () => void {
    this.#readers.add(reader);
    this.#leave ??= this.#following.follow(
      { stream: 'events' },
      {
        onEvent: (event) => {
          for (const each of this.#readers) each(event);
        },
        // Who may not follow reads what the lists say, which show why they cannot be had.
        onEnd: () => undefined,
      },
    );
    return () => {
      this.#readers.delete(reader);
      // Pages follow one another: whoever comes next finds what is followed.
      setTimeout(() => {
        if (this.#readers.size > 0) return;
        this.#leave?.();
        this.#leave = undefined;
      }, LINGER_MS);
    };
  }
}

const LINGER_MS = 1_000;
const hubs = new WeakMap<Following, Hub>();

/** Told of every event that its user may see, while shown. */
export function useAllEvents(onEvent: (event: StreamedEvent) => void): void {
  const { following } = useAccount();
  const latest = useRef(onEvent);
  latest.current = onEvent;
  useEffect(() => {
    const hub = hubs.get(following) ?? new Hub(following);
    hubs.set(following, hub);
    return hub.add((event) => latest.current(event));
  }, [following]);
}

/** The items of a list, page after page, up to `most`: a page is no place for more. */
export async function everything<Item>(
  read: (cursor: string | undefined) => Promise<{ data: readonly Item[]; next_cursor: string | null }>,
  most = 2_000,
): Promise<Item[]> {
  const found: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    found.push(...page.data);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && found.length < most);
  return found;
}

/** Where a page of a list begins, and how long it is. */
export const pageAt = (cursor: string | undefined, limit = 200) =>
  cursor === undefined ? { limit } : { limit, cursor };

/** Does something when a button is pressed; says what went wrong, and whether it is under way. */
export function useAction(): {
  fault: unknown;
  isBusy: boolean;
  act: (run: () => Promise<unknown>) => Promise<boolean>;
} {
  const [fault, setFault] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const act = async (run: () => Promise<unknown>) => {
    setFault(undefined);
    setBusy(true);
    try {
      await run();
      return true;
    } catch (error) {
      setFault(error);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { fault, isBusy, act };
}

/** What is shown until there is something, when there is nothing, and when it cannot be had. */
export function Shown<Value>({
  of,
  empty,
  isEmpty = (value) => Array.isArray(value) && value.length === 0,
  children,
}: {
  of: Loaded<Value>;
  /** What to do where there is nothing. */
  empty: ReactNode;
  isEmpty?: (value: Value) => boolean;
  children: (value: Value) => ReactNode;
}) {
  const fault = of.fault === undefined ? null : <Fault of={of.fault} again={of.reload} />;
  if (of.value === undefined) return fault ?? <Loader size="sm" aria-label="Loading" />;
  return (
    <>
      {fault}
      {isEmpty(of.value) ? <Text c="dimmed">{empty}</Text> : children(of.value)}
    </>
  );
}

export function Fault({ of, again }: { of: unknown; again?: () => void }) {
  return (
    <Alert color="red" role="alert" my="xs">
      {wordsOf(of)}
      {again !== undefined && (
        <Button variant="subtle" size="compact-sm" onClick={again}>
          Try again
        </Button>
      )}
    </Alert>
  );
}

/** The call behind what is shown, for a terminal. The key is not in it. */
export function AsCurl({ method = 'GET', path, body }: { method?: string; path: string; body?: unknown }) {
  const words = [
    `curl -s -X ${method} '${quoted(window.location.origin + path)}'`,
    '-H "Authorization: Bearer $HARN_GATEWAY_KEY"',
    '-H "Harn-Agents-Protocol-Version: agents-protocol-2026-04-25"',
    ...(body === undefined
      ? []
      : ['-H "Content-Type: application/json"', `-d '${quoted(JSON.stringify(body))}'`]),
  ];
  return <Copied label="Copy as curl" text={words.join(' ')} title={`${method} ${path}`} />;
}

/** A button that copies a text, and says when it has. */
export function Copied({ label, text, title }: { label: string; text: string; title: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button variant="subtle" size="compact-xs" onClick={copy} title={title}>
          {copied ? 'Copied' : label}
        </Button>
      )}
    </CopyButton>
  );
}

export function Json({ value }: { value: unknown }) {
  return (
    <Code block className="said" tabIndex={0}>
      {JSON.stringify(value, undefined, 2)}
    </Code>
  );
}

/** How long ago, in one word; the exact time is its title. */
export function Ago({ at }: { at: string | null }) {
  if (at === null) return <>-</>;
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(at)) / 1_000));
  const [amount, unit] =
    seconds < 60
      ? [seconds, 's']
      : seconds < 3_600
        ? [Math.round(seconds / 60), 'min']
        : seconds < 86_400
          ? [Math.round(seconds / 3_600), 'h']
          : [Math.round(seconds / 86_400), 'd'];
  return (
    <time dateTime={at} title={at}>
      {amount} {unit} ago
    </time>
  );
}
