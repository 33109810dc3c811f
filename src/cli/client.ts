import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { dataPaths, type RunningGateway } from '../operation/data-directory.ts';
import { CURRENT_VERSION, VERSION_HEADER } from '../protocol/version.ts';
import { CliError, EXIT } from './exit-codes.ts';

export interface ClientOptions {
  url?: string;
  key?: string;
  keyFile?: string;
  data?: string;
}

/** Adds the options by which client commands find the gateway and the key (contract section 7). */
export function withClientOptions(command: Command): Command {
  return command
    .option('--url <url>', 'gateway (default: HARN_GATEWAY_URL, else <data>/gateway.json)')
    .option('--key <key>', 'API key (default: HARN_GATEWAY_KEY, else <data>/dev-api-key)')
    .option('--key-file <file>', 'file that holds the API key')
    .option('--data <dir>', 'data directory of the gateway (default: HARN_GATEWAY_DATA, else ./data)');
}

/** A client of a running gateway; errors of the gateway become CliErrors with its own words. */
export class GatewayClient {
  readonly #url: string;
  readonly #headers: Record<string, string>;

  constructor(options: ClientOptions) {
    const data = resolve(options.data ?? process.env['HARN_GATEWAY_DATA'] ?? './data');
    this.#url = gatewayUrl(options, data);
    this.#headers = { authorization: `Bearer ${apiKey(options, data)}`, [VERSION_HEADER]: CURRENT_VERSION };
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

  /** The events of a stream as they come; resumes after a cut until the gateway closes it in good order. */
  async *follow(path: string, isLast: (event: StreamedEvent) => boolean): AsyncGenerator<StreamedEvent> {
    let cursor: string | undefined;
    for (let failures = 0; failures < MAX_RESUMES; failures += 1) {
      const headers: Record<string, string> = cursor === undefined ? {} : { 'last-event-id': cursor };
      const response = await this.#fetch(path, { headers });
      for await (const event of readEvents(response)) {
        cursor = event.id;
        failures = 0;
        yield event;
        if (isLast(event)) return;
      }
    }
    throw new CliError('The event stream ended too often. Look at the task with GET /v1/tasks/{id}.');
  }

  async #fetch(path: string, init: RequestInit & { headers?: Record<string, string> }): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(this.#url + path, { ...init, headers: { ...init.headers, ...this.#headers } });
    } catch {
      throw new CliError(
        `No gateway answers at ${this.#url}. Start one with "harn-gateway serve", or name it with --url.`,
      );
    }
    if (response.ok) return response;
    const { error } = (await response.json()) as { error: { message: string; code: string } };
    throw new CliError(`${error.message} (${error.code})`);
  }
}

const MAX_RESUMES = 5;

export interface StreamedEvent {
  id: string;
  event: string;
  payload: Record<string, unknown>;
}

function gatewayUrl({ url }: ClientOptions, data: string): string {
  const named = url ?? process.env['HARN_GATEWAY_URL'];
  if (named) return named.replace(/\/$/, '');
  const { gateway } = dataPaths(data);
  if (existsSync(gateway)) return (JSON.parse(readFileSync(gateway, 'utf8')) as RunningGateway).url;
  throw new CliError(
    `No gateway runs on ${data}. Start one with "harn-gateway serve", or name it with --url.`,
    EXIT.usage,
  );
}

function apiKey({ key, keyFile }: ClientOptions, data: string): string {
  if (key) return key;
  if (keyFile) return readKey(keyFile);
  const fromEnvironment = process.env['HARN_GATEWAY_KEY'];
  if (fromEnvironment) return fromEnvironment;
  const { devKey } = dataPaths(data);
  if (existsSync(devKey)) return readKey(devKey);
  throw new CliError('No API key. Use --key-file, or set HARN_GATEWAY_KEY.', EXIT.usage);
}

function readKey(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new CliError(`The key file ${file} cannot be read.`, EXIT.usage);
  }
}

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
