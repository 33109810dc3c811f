import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { parseStrictText } from '#json/strict-parse.ts';
import { announcedGateway, dataPaths } from '#operation/data-directory.ts';
import type { ByteSource } from '#protocol/bytes.ts';
import type { JsonValue } from '#protocol/json.ts';
import { DEFAULT_VERSION, SUPPORTED_VERSIONS, VERSION_HEADER, type VersionId } from '#protocol/versions.ts';
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

interface Refusal {
  error: { message: string; code: string; param?: string };
}

const FORBIDDEN = 403;
const UNAVAILABLE = 503;
const UPLOAD_PIECE_BYTES = 256 * 1024;
const JSON_BODY = { 'content-type': 'application/json' };

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

/** A client of a running gateway; errors of the gateway become CliErrors with its own words. */
export class GatewayClient {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #resumeDelaysMs: readonly number[];

  /** `resumeDelaysMs`: pauses before `follow` tries again; it gives up after the last one. */
  constructor(options: ClientOptions, resumeDelaysMs: readonly number[] = RESUME_DELAYS_MS) {
    this.#resumeDelaysMs = resumeDelaysMs;
    const data = dataOf(options);
    this.#url = gatewayUrl(options, data);
    this.#headers = {
      authorization: `Bearer ${apiKey(options, data)}`,
      [VERSION_HEADER]: options.protocolVersion ?? DEFAULT_VERSION,
    };
  }

  async json<Body>(method: string, path: string, body?: object): Promise<Body> {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await this.#fetch(path, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return (await response.json()) as Body;
  }

  /** Deletes what is answered with nothing. */
  async remove(path: string): Promise<void> {
    await this.#fetch(path, { method: 'DELETE' });
  }

  /** The bytes of an answer as they come. Throws CliError when it breaks off. */
  async *bytes(path: string, body?: object): AsyncGenerator<Uint8Array> {
    const init = body && { method: 'POST', headers: JSON_BODY, body: JSON.stringify(body) };
    const response = await this.#fetch(path, init ?? {});
    try {
      yield* response.body ?? [];
    } catch (error) {
      // fetch reports every cut of a body as a TypeError.
      if (!(error instanceof TypeError)) throw error;
      throw new CliError('The answer broke off before its end. Run the command again.');
    }
  }

  /** Sends bytes as a raw body, piece by piece; `onSent` is called with how many are under way. */
  async upload<Body>(path: string, bytes: ByteSource, onSent: (sent: number) => void): Promise<Body> {
    const pieces = async function* (): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < bytes.size; ) {
        const end = Math.min(bytes.size, at + UPLOAD_PIECE_BYTES);
        yield bytes.read(at, end);
        onSent(end);
        at = end;
      }
    };
    const body = ReadableStream.from(pieces());
    // A body of unknown length would take the room of the largest one there.
    const headers = { ...JSON_BODY, 'content-length': String(bytes.size) };
    const response = await this.#fetch(path, { method: 'POST', headers, body, duplex: 'half' });
    return (await response.json()) as Body;
  }

  /**
   * The events of a stream as they come, up to the last one. A cut, a refused connection and a gateway that drains or
   * starts are waited out; throws CliError when the gateway stays away, or refuses for another reason.
   */
  async *follow(path: string, isLast: (event: StreamedEvent) => boolean): AsyncGenerator<StreamedEvent> {
    let cursor: string | undefined;
    for (let failures = 0; ; failures += 1) {
      for await (const event of this.#untilCut(path, cursor)) {
        cursor = event.id;
        failures = 0;
        yield event;
        if (isLast(event)) return;
      }
      const delayMs = this.#resumeDelaysMs[failures];
      if (delayMs === undefined) throw new CliError(this.#gone(path));
      await pause(delayMs);
    }
  }

  /** The events of one connection; ends without an error when another one may go on. */
  async *#untilCut(path: string, cursor: string | undefined): AsyncGenerator<StreamedEvent> {
    const headers: Record<string, string> = cursor === undefined ? {} : { 'last-event-id': cursor };
    try {
      yield* readEvents(await this.#fetch(path, { headers }));
    } catch (error) {
      // fetch reports every cut of a body as a TypeError.
      if (!(error instanceof UnavailableError || error instanceof TypeError)) throw error;
    }
  }

  #gone(path: string): string {
    const seconds = Math.ceil(this.#resumeDelaysMs.reduce((sum, ms) => sum + ms, 0) / 1000);
    const resource = path.replace(/\/stream$/, '');
    return `The event stream of ${this.#url} did not go on within ${seconds} s. What was accepted is kept: look at GET ${resource} when the gateway runs.`;
  }

  async #fetch(path: string, init: RequestInit & { headers?: Record<string, string> }): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(this.#url + path, { ...init, headers: { ...init.headers, ...this.#headers } });
    } catch (error) {
      throw unreachable(this.#url, error);
    }
    if (response.ok) return response;
    const { error } = (await jsonOf(this.#url, response)) as unknown as Refusal;
    const message = `${error.message} (${error.code})`;
    if (response.status === UNAVAILABLE) throw new UnavailableError(message);
    if (response.status === FORBIDDEN) throw new ForbiddenError(message, error.param);
    throw new RefusedError(message, error.param);
  }
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

export interface StreamedEvent {
  id: string;
  event: string;
  payload: Record<string, unknown>;
}

/** The events of an answer of server-sent events; an error frame becomes a CliError with the words of the gateway. */
async function* readEvents(response: Response): AsyncGenerator<StreamedEvent> {
  if (!response.body) return;
  let rest = '';
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + text).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const data = frame.split('\n').find((line) => line.startsWith('data: '));
      if (data === undefined) continue;
      const value = JSON.parse(data.slice('data: '.length)) as StreamedEvent & {
        error?: { message: string };
      };
      if (value.error) throw new CliError(value.error.message);
      yield value;
    }
  }
}
