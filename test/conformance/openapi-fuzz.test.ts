import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { SUPPORTED_VERSIONS, VERSION_HEADER, type VersionId } from '#protocol/versions.ts';
import { stageOf } from './stage.ts';

interface Described {
  operationId: string;
  parameters: { $ref?: string; name: string; in: string; schema?: Schema }[];
  requestBody?: { content: Record<string, { example?: unknown }> };
  responses: Record<string, { $ref?: string; content?: Record<string, { schema?: object }> }>;
}
interface Schema {
  enum?: unknown[];
}
interface Document {
  paths: Record<string, Record<string, Described>>;
  components: { responses: Record<string, Described['responses'][string]> };
}

const SEED = 20260425;
const ROUNDS = 8;
/** Follows what happens for ever: its head is all that is looked at. */
const STREAM = 'text/event-stream';
/** Answers with an upgrade; `test/conformance/ws` has its frames. */
const UPGRADES: readonly string[] = ['openWebSocket'];
const ODD = [
  '',
  ' ',
  '0',
  '-1',
  'null',
  '\u0000',
  '💥',
  '../x',
  'x'.repeat(600),
  '{"a":1}',
  '%',
  '00000000000000000001',
];

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
function numbersOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Makes requests of an operation, valid ones and others, and says what of an answer the document does not describe. */
class Fuzz {
  readonly #document: Document;
  readonly #ids: Readonly<Record<string, string>>;
  readonly #next: () => number;
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false });
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(document: object, ids: Readonly<Record<string, string>>, seed: number) {
    this.#document = document as Document;
    this.#ids = ids;
    this.#next = numbersOf(seed);
    this.#ajv.addSchema(document, 'document');
  }

  get operations(): { path: string; method: string; described: Described }[] {
    return Object.entries(this.#document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, described]) => ({
        path,
        method: method.toUpperCase(),
        described,
      })),
    );
  }

  request(
    path: string,
    { parameters, requestBody }: Described,
  ): { target: string; body: string | undefined; type: string } {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(this.#next() < 0.7 ? (this.#ids[name] ?? 'absent') : this.#odd() || 'x'),
    );
    const query = parameters
      .filter((parameter) => parameter.in === 'query' && this.#next() < 0.4)
      .map(({ name, schema }): [string, string] => [
        name,
        this.#next() < 0.5 ? String(schema?.enum?.[0] ?? this.#ids[name] ?? '1') : this.#odd(),
      ]);
    if (this.#next() < 0.05) query.push(['unknown', '1']);
    const [[type, { example }] = ['application/json', { example: undefined }]] = Object.entries(
      requestBody?.content ?? {},
    );
    return {
      target: query.length === 0 ? filled : `${filled}?${new URLSearchParams(query)}`,
      body: requestBody === undefined ? undefined : this.#body(example),
      type: this.#next() < 0.9 ? type.replace('*/*', 'text/plain') : 'text/html',
    };
  }

  /** What the document does not say of an answer. */
  findings(
    method: string,
    path: string,
    { operationId, responses }: Described,
    answer: { status: number; type: string; text: string },
  ): string[] {
    const at = `${operationId} ${answer.status}`;
    const own = responses[String(answer.status)];
    if (own === undefined) return [`${at}: the status is not described`];
    const named = own.$ref?.replace('#/components/responses/', '');
    const { content } = named === undefined ? own : (this.#document.components.responses[named] ?? {});
    const type = answer.type.split(';')[0] ?? '';
    if (content === undefined) return answer.text === '' ? [] : [`${at}: a body is not described`];
    if (content[type] === undefined && content['*/*'] === undefined)
      return [`${at}: ${type} is not described`];
    if (type !== 'application/json' || content[type] === undefined) return [];
    const steps =
      named === undefined
        ? ['paths', path, method.toLowerCase(), 'responses', String(answer.status)]
        : ['components', 'responses', named];
    const validate = this.#validator([...steps, 'content', type, 'schema']);
    return validate(JSON.parse(answer.text))
      ? []
      : (validate.errors ?? []).map((error) => `${at}: ${error.instancePath} ${error.message}`);
  }

  chance(part: number): boolean {
    return this.#next() < part;
  }

  #odd(): string {
    return ODD[Math.floor(this.#next() * ODD.length)] ?? '';
  }

  /** The example of the document, as it is or with one member changed, or something else. */
  #body(example: unknown): string {
    const kind = this.#next();
    if (kind < 0.1) return this.#odd();
    if (kind < 0.2) return '[]';
    const body = structuredClone(example ?? {}) as Record<string, unknown>;
    const names = Object.keys(body);
    const name = names[Math.floor(this.#next() * names.length)];
    if (kind < 0.6 || name === undefined)
      return JSON.stringify({
        ...body,
        ...('workspace_id' in body ? { workspace_id: 'workspace_default' } : {}),
      });
    if (kind < 0.75) delete body[name];
    else body[name] = [null, 7, '', {}, [], this.#odd(), true][Math.floor(this.#next() * 7)];
    return JSON.stringify(body);
  }

  #validator(steps: readonly string[]): ValidateFunction {
    const pointer = steps
      .map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/');
    const made = this.#compiled.get(pointer) ?? this.#ajv.compile({ $ref: `document#/${pointer}` });
    this.#compiled.set(pointer, made);
    return made;
  }
}

describe.each(SUPPORTED_VERSIONS)('whatever is sent in %s', (version: VersionId) => {
  const stage = stageOf();

  it(`gets an answer that the document describes (seed ${SEED})`, async () => {
    const client = await stage.speaking(version);
    client.onAnswer = undefined;
    const task = await stage.client.submit('file');
    await stage.client.until(task.id, 'COMPLETED');
    const first = async (path: string) =>
      (await stage.client.get<{ data: { id: string }[] }>(path)).data[0]?.id ?? 'absent';
    const ids = {
      task_id: task.id,
      session_id: task.session_id,
      workspace_id: 'workspace_default',
      artifact_id: await first('/v1/artifacts'),
      event_id: await first(`/v1/tasks/${task.id}/events`),
      receipt_id: await first(`/v1/tasks/${task.id}/receipts`),
      outcome_id: await first('/v1/outcomes'),
      message_id: await first(`/v1/sessions/${task.session_id}/messages`),
      agent_id: 'sample',
    };
    const fuzz = new Fuzz((await client.call('GET', '/openapi.json')).body, ids, SEED);
    const found = new Set<string>();
    const seen = new Set<number>();
    for (let round = 0; round < ROUNDS; round += 1)
      for (const { path, method, described } of fuzz.operations) {
        if (UPGRADES.includes(described.operationId)) continue;
        const { target, body, type } = fuzz.request(path, described);
        const leaving = new AbortController();
        const response = await fetch(client.url + target, {
          method,
          signal: leaving.signal,
          redirect: 'manual',
          headers: {
            ...(fuzz.chance(0.03) ? {} : { authorization: `Bearer ${client.key}` }),
            ...(fuzz.chance(0.03) ? {} : { [VERSION_HEADER]: version }),
            ...(fuzz.chance(0.1) ? { 'idempotency-key': `key ${fuzz.chance(0.5)}` } : {}),
            ...(body === undefined ? {} : { 'content-type': type }),
          },
          ...(body === undefined ? {} : { body }),
        });
        const sentType = response.headers.get('content-type') ?? '';
        const isStream = sentType.startsWith(STREAM);
        const text = isStream ? 'stream' : await response.text();
        if (isStream) leaving.abort();
        seen.add(response.status);
        for (const each of fuzz.findings(method, path, described, {
          status: response.status,
          type: sentType,
          text,
        }))
          found.add(each);
      }
    expect([...found].sort()).toEqual([]);
    expect([...seen]).toEqual(expect.arrayContaining([200, 201, 400, 401, 404, 426]));
    expect([...seen].filter((status) => status >= 500 && status !== 502)).toEqual([]);
  }, 120_000);
});
