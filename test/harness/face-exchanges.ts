/** One request of a client and what it was answered, as they went over the wire. */
export interface ServerExchange {
  request: { method: string; path: string; headers: Record<string, string>; body: string };
  answer: {
    status: number;
    type: string;
    /** The JSON of the answer, or of every event of a stream. */
    said: unknown[];
  };
}

/** Headers that mean something to A2A; the others are the library's. */
const HEADERS = ['accept', 'content-type', 'a2a-version', 'a2a-extensions', 'x-a2a-extensions'];

/** Ids and times of one run, by the order in which they first appear: `<task 1>` stands for the first Task. */
export class Stands {
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  /** The text with names in the place of what another run has otherwise. */
  named(text: string): string {
    return text
      .replace(/\b([a-z_]+)_[0-9A-HJKMNP-TV-Z]{26}\b/g, (id, kind: string) => this.#nameOf(id, kind))
      .replace(/\bagent-message-\d+\b/g, (id) => this.#nameOf(id, 'agent message'))
      .replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"<time>"');
  }

  /** The text as this run has it. */
  restored(text: string): string {
    const ids = new Map([...this.#names].map(([id, name]) => [name, id]));
    return text.replace(/<[a-z_ ]+ \d+>/g, (name) => ids.get(name) ?? name);
  }

  #nameOf(id: string, kind: string): string {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    const name = `<${kind} ${count}>`;
    this.#names.set(id, name);
    return name;
  }
}

/** A `fetch` that keeps every exchange but those about cards; await `exchanges` when the client is done. */
export function recordingFetch(inner: typeof fetch, origin: string) {
  const kept: Promise<ServerExchange>[] = [];
  const stands = new Stands();
  const recording: typeof fetch = async (input, init) => {
    const url = String(input);
    const answer = await inner(input, init);
    if (!url.includes('/.well-known/')) kept.push(exchangeOf(url.replace(origin, ''), init, answer.clone()));
    return answer;
  };
  const exchanges = async () => {
    const all = await Promise.all(kept);
    return all.map((exchange) => JSON.parse(stands.named(JSON.stringify(exchange))) as ServerExchange);
  };
  return { recording, exchanges };
}

async function exchangeOf(
  path: string,
  init: RequestInit | undefined,
  answer: Response,
): Promise<ServerExchange> {
  const sent = new Headers(init?.headers);
  const headers = Object.fromEntries(
    HEADERS.flatMap((name) => [[name, sent.get(name)]]).filter(([, value]) => value),
  );
  const body = typeof init?.body === 'string' ? init.body : '';
  return { request: { method: init?.method ?? 'GET', path, headers, body }, answer: await answerOf(answer) };
}

/** Sends a recorded request again, in the ids of this run. */
export async function sendAgain(
  origin: string,
  key: string,
  { method, path, headers, body }: ServerExchange['request'],
  stands: Stands,
): Promise<ServerExchange['answer']> {
  const answer = await fetch(origin + stands.restored(path), {
    method,
    headers: { ...headers, authorization: `Bearer ${key}` },
    ...(body === '' ? {} : { body: stands.restored(body) }),
  });
  return JSON.parse(stands.named(JSON.stringify(await answerOf(answer)))) as ServerExchange['answer'];
}

async function answerOf(answer: Response): Promise<ServerExchange['answer']> {
  const type = answer.headers.get('content-type') ?? '';
  const text = await answer.text();
  const isStream = type === 'text/event-stream';
  const told = isStream
    ? text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []))
    : [text];
  return {
    status: answer.status,
    type,
    said: told.filter((json) => json !== '').map((json) => JSON.parse(json)),
  };
}
