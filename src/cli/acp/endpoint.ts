import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { dataPaths } from '../../operation/data-directory.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { type OwnGateway, startGateway } from './own-gateway.ts';

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
 * the user, then the gateway that runs on the data directory; where none runs, one is started there.
 */
export class Endpoints {
  readonly #options: AcpOptions;
  #own: OwnGateway | undefined;

  constructor(options: AcpOptions) {
    this.#options = options;
  }

  /** Throws CliError when it cannot be known where the gateway is. */
  async find(): Promise<Endpoint> {
    const { env } = process;
    const known = userSettings();
    const url = this.#options.url ?? env['HARN_GATEWAY_URL'] ?? known.url;
    if (url !== undefined && url !== '')
      return { url: url.replace(/\/$/, ''), key: this.#key(known.keyFile) };
    const data = this.#dataDirectory();
    const running = (await runningOn(data)) ?? (await this.#start(data));
    return { url: running, key: this.#key(dataPaths(data).devKey) };
  }

  /** Ends the gateway that was started here. */
  async close(): Promise<void> {
    await this.#own?.close();
  }

  async #start(data: string): Promise<string> {
    await this.#own?.close();
    this.#own = await startGateway(data, this.#options.config);
    return this.#own.url;
  }

  #key(fallbackFile: string | undefined): string {
    const { key, keyFile } = this.#options;
    const given = key ?? (keyFile === undefined ? process.env['HARN_GATEWAY_KEY'] : undefined);
    if (given !== undefined && given !== '') return given;
    const file = keyFile ?? fallbackFile;
    if (file !== undefined && existsSync(file)) return readFileSync(file, 'utf8').trim();
    throw new CliError('No API key. Use --key-file, or set HARN_GATEWAY_KEY.', EXIT.usage);
  }

  /** An editor runs the launcher in the project, where a data directory does not belong unless it is there already. */
  #dataDirectory(): string {
    const named = this.#options.data ?? process.env['HARN_GATEWAY_DATA'];
    if (named) return resolve(named);
    const here = resolve('./data');
    if (existsSync(dataPaths(here).store)) return here;
    const base = process.env['XDG_DATA_HOME'] || join(homedir(), '.local', 'share');
    return join(base, 'harn-gateway');
  }
}

/** `client.json`: `{"url": "...", "key_file": "..."}`. */
function userSettings(): { url?: string; keyFile?: string } {
  const base = process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config');
  const file = join(base, 'harn-gateway', 'client.json');
  if (!existsSync(file)) return {};
  try {
    const { url, key_file } = JSON.parse(readFileSync(file, 'utf8')) as { url?: string; key_file?: string };
    return {
      ...(url === undefined ? {} : { url }),
      ...(key_file === undefined ? {} : { keyFile: resolve(join(base, 'harn-gateway'), key_file) }),
    };
  } catch {
    throw new CliError(`${file} is not JSON. Write {"url": "...", "key_file": "..."} there.`, EXIT.usage);
  }
}

/** A file that a killed gateway left behind names nobody: whoever is named must answer. */
async function runningOn(data: string): Promise<string | undefined> {
  const { gateway } = dataPaths(data);
  if (!existsSync(gateway)) return undefined;
  try {
    const { url } = JSON.parse(readFileSync(gateway, 'utf8')) as { url: string };
    const { ok } = await fetch(`${url}/health`);
    return ok ? url : undefined;
  } catch {
    return undefined;
  }
}
