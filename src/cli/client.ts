import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import {
  type components,
  GatewayError,
  type HarnClient,
  harnClient,
  type PathsOf,
  refusalOf,
  type StreamedEvent,
} from '#client/index.ts';
import { parseStrictText } from '#json/strict-parse.ts';
import { announcedGateway, dataPaths } from '#operation/data-directory.ts';
import type { ByteSource } from '#protocol/bytes.ts';
import type { JsonValue } from '#protocol/json.ts';
import { DEFAULT_VERSION, SUPPORTED_VERSIONS, type VersionId } from '#protocol/versions.ts';
import { CliError, EXIT } from './exit-codes.ts';
import { readKeyFile } from './key-file.ts';
import { UnavailableError, unreachable } from './unreachable.ts';

export interface ClientOptions {
  url?: string;
  key?: string;
  keyFile?: string;
  data?: string;
  protocolVersion?: VersionId;
}

export type { StreamedEvent };

/** Adds the options by which commands that need no key find the gateway. */
export function withGatewayOption(command: Command): Command {
  return command
    .option('--url <url>', 'gateway (default: HARN_GATEWAY_URL, else <data>/gateway.json)')
    .option('--data <dir>', 'data directory of the gateway (default: HARN_GATEWAY_DATA, else ./data)');
}

/** Reads a public document of the gateway. Throws CliError when there is no gateway, or no such document. */
export async function readPublic(options: ClientOptions, path: string): Promise<JsonValue> {
  const { url, ok, status, body } = await askPublic(options, path);
  if (ok) return body;
  throw new CliError(`${url}${path} answered ${status}. Check the name of the agent.`);
}

/** What the gateway answers to anybody, whatever its status. Throws CliError when there is no gateway. */
export async function askPublic(
  options: ClientOptions,
  path: string,
): Promise<{ url: string; ok: boolean; status: number; body: JsonValue }> {
  const url = gatewayUrl(options, dataOf(options));
  let response: Response;
  try {
    response = await fetch(url + path, { redirect: 'error' });
  } catch (error) {
    throw unreachable(url, error);
  }
  const { ok, status } = response;
  return { url, ok, status, body: await jsonOf(url, response) };
}

/** Whether a gateway takes work, and why not, where it says so. Throws CliError when there is no gateway. */
export async function askReady(
  options: ClientOptions,
): Promise<{ url: string; ready: boolean; reason: string | null }> {
  const { url, ok: ready, body } = await askPublic(options, '/ready');
  const { reason } = (body ?? {}) as { reason?: unknown };
  return { url, ready, reason: typeof reason === 'string' ? reason : null };
}

/** Another server at that address answers something else. */
async function jsonOf(url: string, response: Response): Promise<JsonValue> {
  const text = await response.text();
  try {
    return parseStrictText(text);
  } catch {
    throw new CliError(
      `What answers at ${url} is no gateway: status ${response.status}, and no JSON. Check --url.`,
    );
  }
}

/** Adds the options by which client commands find the gateway and the key; see README.md. */
export function withClientOptions(command: Command): Command {
  return withConnectionOptions(command).addOption(protocolVersionOption());
}

/** The same for commands that speak another protocol than that of Harn. */
export function withConnectionOptions(command: Command): Command {
  return command
    .option('--url <url>', 'gateway (default: HARN_GATEWAY_URL, else <data>/gateway.json)')
    .option('--key <key>', 'API key (default: HARN_GATEWAY_KEY, else <data>/dev-api-key)')
    .option('--key-file <file>', 'file that holds the API key')
    .option('--data <dir>', 'data directory of the gateway (default: HARN_GATEWAY_DATA, else ./data)');
}

/** The version of the protocol in which a command asks. */
export function protocolVersionOption(): Option {
  return new Option('--protocol-version <version>', 'version of the protocol to speak')
    .choices(SUPPORTED_VERSIONS)
    .default(DEFAULT_VERSION);
}

/** Half a minute in all: a restart takes a few seconds, and a person waits. */
const RESUME_DELAYS_MS = [250, 500, 1_000, 2_000, 4_000, 4_000, 4_000, 4_000, 5_000, 5_000];

const FORBIDDEN = 403;
const UNAVAILABLE = 503;
const UPLOAD_PIECE_BYTES = 256 * 1024;

/** A refusal of the gateway; `param` is the member that it names. */
export class RefusedError extends CliError {
  readonly param: string | undefined;

  constructor(message: string, param: string | undefined) {
    super(message);
    this.param = param;
  }
}

/** The key has not the scope. */
export class ForbiddenError extends RefusedError {}

/** Where a gateway keeps its data when nobody says where. */
export const DEFAULT_DATA = './data';

/** The client of a running gateway, for people: its errors become CliErrors with the words of the gateway. */
export class GatewayClient {
  /** Calls by the paths of the OpenAPI document, with its types. Throw CliErrors. */
  readonly api: HarnClient;
  readonly #followed: HarnClient;
  readonly #url: string;
  readonly #key: string;
  readonly #resumeDelaysMs: readonly number[];

  /** `resumeDelaysMs`: pauses before `follow` tries again; it gives up after the last one. */
  constructor(options: ClientOptions, resumeDelaysMs: readonly number[] = RESUME_DELAYS_MS) {
    this.#resumeDelaysMs = resumeDelaysMs;
    const data = dataOf(options);
    const url = gatewayUrl(options, data);
    this.#url = url;
    // What commands send means the same in all versions. A person decides what is run again.
    const version = (options.protocolVersion ?? DEFAULT_VERSION) as 'agents-protocol-2026-04-25';
    this.#key = apiKey(options, data);
    const common = { url, key: this.#key, version, retries: 0 };
    this.api = harnClient({ ...common, fetch: (request) => answerTo(request, url) });
    this.#followed = harnClient({ ...common, fetch: (request) => connected(request, url) });
  }

  /** What the gateway says of itself to Prometheus, in its text format: no operation of the protocol. */
  async metrics(): Promise<string> {
    const headers = { Authorization: `Bearer ${this.#key}` };
    const request = new Request(`${this.#url}/metrics`, { headers, redirect: 'error' });
    return (await answerTo(request, this.#url)).text();
  }

  /** The bytes of an answer as they come; `ask` asks for them with AS_STREAM. Throws CliError when it breaks off. */
  async *bytes(
    ask: (api: HarnClient) => Promise<ReadableStream<Uint8Array> | null | undefined>,
  ): AsyncGenerator<Uint8Array> {
    const bytes = await ask(this.api);
    try {
      yield* (bytes ?? []) as AsyncIterable<Uint8Array>;
    } catch (error) {
      // fetch reports every cut of a body as a TypeError.
      if (!(error instanceof TypeError)) throw error;
      throw new CliError('The answer broke off before its end. Run the command again.');
    }
  }

  /** Restores the bundle in these bytes, sent piece by piece; `onSent` is called with how many are under way. */
  async importBundle(
    bytes: ByteSource,
    query: QueryOf<'/v1/bundles/import', 'post'>,
    onSent: (sent: number) => void,
  ): Promise<components['schemas']['BundleImport']> {
    const pieces = async function* (): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < bytes.size; ) {
        const end = Math.min(bytes.size, at + UPLOAD_PIECE_BYTES);
        yield bytes.read(at, end);
        onSent(end);
        at = end;
      }
    };
    // A body of unknown length would take the room of the largest one there.
    const headers = { 'content-length': String(bytes.size) };
    const streamed = { bodySerializer: () => ReadableStream.from(pieces()), duplex: 'half' } as const;
    // The document knows the whole of a body only; the serializer makes the stream of it.
    return this.api.post('/v1/bundles/import', {
      params: { query },
      body: new Blob([]),
      headers,
      ...streamed,
    });
  }

  /**
   * The events of a task as they come, up to the last one. A cut, a refused connection and a gateway that drains or
   * starts are waited out; throws CliError when the gateway stays away, or refuses for another reason.
   */
  async *follow(
    taskId: string,
    isLast: (event: StreamedEvent) => boolean,
  ): AsyncGenerator<StreamedEvent, void> {
    const params = { path: { task_id: taskId } };
    const options = { params, until: isLast, resumeDelaysMs: this.#resumeDelaysMs };
    try {
      yield* this.#followed.events('/v1/tasks/{task_id}/stream', options);
    } catch (error) {
      if (error instanceof CliError) throw error;
      if (error instanceof GatewayError && error.status !== UNAVAILABLE) throw refusal(error, this.#url);
      throw new CliError(this.#gone(taskId));
    }
  }

  #gone(taskId: string): string {
    const seconds = Math.ceil(this.#resumeDelaysMs.reduce((sum, ms) => sum + ms, 0) / 1000);
    return `The event stream of ${this.#url} did not go on within ${seconds} s. What was accepted is kept: look at GET /v1/tasks/${taskId} when the gateway runs.`;
  }
}

/** Asks an operation for its bytes as they come; see `bytes`. */
export const AS_STREAM = { parseAs: 'stream' } as const;

type Paths = PathsOf['agents-protocol-2026-04-25'];

/** The query of an operation. */
export type QueryOf<Path extends keyof Paths, Method extends string = 'get'> = Paths[Path] extends {
  [Each in Method]: { parameters: { query?: infer Query } };
}
  ? NonNullable<Query>
  : never;

/** The answer of the gateway to what it accepted. */
async function answerTo(request: Request, url: string): Promise<Response> {
  let response: Response;
  try {
    response = await connected(request, url);
  } catch (error) {
    throw error instanceof CliError ? error : unreachable(url, error);
  }
  if (response.ok) return response;
  throw refusal(await refusalOf(response), url);
}

/** What answers, whatever its status. Throws CliError where trying again would not help, else what fetch throws. */
async function connected(request: Request, url: string): Promise<Response> {
  // What an operator asks of one of several logs.
  const partition = process.env['HARN_GATEWAY_PARTITION'];
  if (partition) request.headers.set('Harn-Partition', partition);
  try {
    return await fetch(request);
  } catch (error) {
    const told = unreachable(url, error);
    throw told instanceof UnavailableError ? error : told;
  }
}

function refusal({ code, status, message, param }: GatewayError, url: string): CliError {
  if (code === undefined)
    return new CliError(`What answers at ${url} is no gateway: status ${status}, and no JSON. Check --url.`);
  const text = `${message} (${code})`;
  if (status === UNAVAILABLE) return new UnavailableError(text);
  return status === FORBIDDEN ? new ForbiddenError(text, param) : new RefusedError(text, param);
}

function dataOf({ data }: ClientOptions): string {
  return resolve(data ?? process.env['HARN_GATEWAY_DATA'] ?? DEFAULT_DATA);
}

function gatewayUrl({ url }: ClientOptions, data: string): string {
  const named = url ?? process.env['HARN_GATEWAY_URL'];
  if (named) return named.replace(/\/$/, '');
  const running = announcedGateway(data);
  if (running !== undefined) return running.url;
  throw new CliError(
    `No gateway runs on ${data}. Start one with "harn-gateway serve", or name it with --url.`,
    EXIT.usage,
  );
}

function apiKey({ key, keyFile }: ClientOptions, data: string): string {
  if (key) return key;
  if (keyFile) return readKeyFile(keyFile, '--key-file');
  const fromEnvironment = process.env['HARN_GATEWAY_KEY'];
  if (fromEnvironment) return fromEnvironment;
  const { devKey } = dataPaths(data);
  if (existsSync(devKey)) return readKeyFile(devKey, 'the data directory');
  throw new CliError('No API key. Use --key-file, or set HARN_GATEWAY_KEY.', EXIT.usage);
}
