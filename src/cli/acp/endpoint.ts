import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { announcedGateway, dataPaths } from '#operation/data-directory.ts';
import { RunningGateways } from '#operation/running-gateways.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { readKeyFile } from '../key-file.ts';
import { type OwnGateway, startGateway } from './own-gateway.ts';

/** How long a gateway may take to answer `/health`. An editor does not wait longer. */
const HEALTH_MS = 3_000;

export interface AcpOptions {
  url?: string;
  key?: string;
  keyFile?: string;
  data?: string;
  config?: string;
}

/** Where the gateway is, and the key for it. */
export interface Endpoint {
  url: string;
  key: string;
}

/**
 * Finds the gateway anew for each connection: flags, then environment, then `client.json` in the configuration directory of
 * the user, then the gateway that runs on the data directory, then, where nobody names one, the newest that this user runs;
 * where none runs, one is started on the data directory.
 */
export class Endpoints {
  readonly #options: AcpOptions;
  readonly #show: (words: string) => void;
  #own: OwnGateway | undefined;
  #shown: string | undefined;

  /** `show`: takes what the user of the launcher should know. */
  constructor(options: AcpOptions, show: (words: string) => void = () => undefined) {
    this.#options = options;
    this.#show = show;
  }

  /** The gateway that was started here. */
  get own(): OwnGateway | undefined {
    return this.#own;
  }

  /** Throws CliError when it cannot be known where the gateway is, or which key it takes. */
  async find(): Promise<Endpoint> {
    const given = this.#givenKey();
    const known = userSettings();
    const named =
      namedUrl(this.#options.url, '--url') ??
      namedUrl(process.env['HARN_GATEWAY_URL'], 'HARN_GATEWAY_URL') ??
      namedUrl(known.url, known.file);
    if (named !== undefined) return { url: named, key: given ?? keyOf(known.keyFile, known.file) };
    const { url, data } = (await this.#running()) ?? (await this.#start());
    return { url, key: given ?? developmentKeyOf(data) };
  }

  /** Ends the gateway that was started here. */
  async close(): Promise<void> {
    await this.#own?.close();
  }

  async #running(): Promise<{ url: string; data: string } | undefined> {
    const data = this.#dataDirectory();
    const url = await runningOn(data);
    if (url !== undefined) return { url, data };
    if (this.#namedData() !== undefined) return undefined;
    const listed = new RunningGateways(process.env).list();
    for (const gateway of listed) {
      if (!(await answers(gateway.url))) continue;
      this.#say(
        `uses the gateway on ${gateway.data} (${gateway.url})${listed.length > 1 ? ', the newest of several; name another one with --data' : ''}`,
      );
      return gateway;
    }
    return undefined;
  }

  async #start(): Promise<OwnGateway> {
    await this.#own?.close();
    this.#own = undefined;
    const data = this.#dataDirectory();
    this.#own = await startGateway(data, this.#options.config);
    this.#say(`no gateway ran, so one was started on ${data} (${this.#own.url}); it ends with this editor`);
    return this.#own;
  }

  #say(words: string): void {
    if (this.#shown === words) return;
    this.#shown = words;
    this.#show(words);
  }

  /** The key that flags or environment name; undefined where they name none. */
  #givenKey(): string | undefined {
    const { key, keyFile } = this.#options;
    if (key !== undefined && key !== '') return key;
    if (keyFile !== undefined) return readKeyFile(keyFile, '--key-file');
    return process.env['HARN_GATEWAY_KEY'] || undefined;
  }

  #namedData(): string | undefined {
    return this.#options.data || process.env['HARN_GATEWAY_DATA'] || undefined;
  }

  /** An editor runs the launcher in the project, where a data directory does not belong unless it is there already. */
  #dataDirectory(): string {
    const named = this.#namedData();
    if (named !== undefined) return resolve(named);
    const here = resolve('./data');
    if (existsSync(dataPaths(here).store)) return here;
    const base = process.env['XDG_DATA_HOME'] || join(homedir(), '.local', 'share');
    return join(base, 'harn-gateway');
  }
}

function namedUrl(given: string | undefined, from: string): string | undefined {
  if (given === undefined || given === '') return undefined;
  const protocol = URL.canParse(given) ? new URL(given).protocol : '';
  if (protocol === 'http:' || protocol === 'https:') return given.replace(/\/$/, '');
  throw new CliError(`${from} names "${given}", which is no http or https URL.`, EXIT.usage);
}

const NO_KEY = 'Use --key-file, or set HARN_GATEWAY_KEY.';

function keyOf(file: string | undefined, from: string): string {
  if (file !== undefined) return readKeyFile(file, from);
  throw new CliError(`No API key. ${NO_KEY}`, EXIT.usage);
}

/** A gateway with configured keys has no development key. */
function developmentKeyOf(data: string): string {
  const { devKey } = dataPaths(data);
  if (existsSync(devKey)) return readKeyFile(devKey, 'the data directory');
  throw new CliError(`No API key: the gateway on ${data} has no development key. ${NO_KEY}`, EXIT.usage);
}

/** `client.json`: `{"url": "...", "key_file": "..."}`. */
function userSettings(): { file: string; url?: string; keyFile?: string } {
  const base = process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config');
  const directory = join(base, 'harn-gateway');
  const file = join(directory, 'client.json');
  if (!existsSync(file)) return { file };
  const { url, key_file } = settingsIn(file);
  if (typeof url !== 'string' && url !== undefined) throw notSettings(file);
  if (typeof key_file !== 'string' && key_file !== undefined) throw notSettings(file);
  return {
    file,
    ...(url === undefined ? {} : { url }),
    ...(key_file === undefined ? {} : { keyFile: resolve(directory, key_file) }),
  };
}

function settingsIn(file: string): Record<string, unknown> {
  let settings: unknown;
  try {
    settings = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw notSettings(file);
  }
  if (typeof settings !== 'object' || settings === null) throw notSettings(file);
  return settings as Record<string, unknown>;
}

function notSettings(file: string): CliError {
  return new CliError(`${file} is not JSON with these texts: {"url": "...", "key_file": "..."}.`, EXIT.usage);
}

/** A file that a killed gateway left behind names nobody: whoever is named must answer. */
async function runningOn(data: string): Promise<string | undefined> {
  const running = announcedGateway(data);
  if (running === undefined) return undefined;
  try {
    return (await answers(running.url)) ? running.url : undefined;
  } catch {
    return undefined;
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health`, { signal: AbortSignal.timeout(HEALTH_MS) })).ok;
  } catch {
    return false;
  }
}
