import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { writeFileAtomicSync } from '#store/atomic-file.ts';

/** A gateway of this user that runs, as it says itself. */
export interface ListedGateway {
  url: string;
  pid: number;
  /** Its data directory, as an absolute path. */
  data: string;
  /** RFC 3339. */
  started_at: string;
}

const OWNER_ONLY = { file: 0o600, directory: 0o700 } as const;

/**
 * The addresses of the gateways that a user runs, wherever their data directories are: one file for each, in
 * `$XDG_STATE_HOME/harn-gateway/running`, else under `~/.local/state`.
 */
export class RunningGateways {
  readonly directory: string;

  constructor(env: Readonly<Record<string, string | undefined>>) {
    const base = env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state');
    this.directory = join(base, 'harn-gateway', 'running');
  }

  /** Leaves an address; those of gateways that were killed are removed. Throws the error of the file system where it cannot. */
  add(gateway: ListedGateway): void {
    mkdirSync(this.directory, { recursive: true, mode: OWNER_ONLY.directory });
    for (const name of readdirSync(this.directory)) {
      const file = join(this.directory, name);
      const known = read(file);
      if (known === undefined || !isAlive(known.pid)) rmSync(file, { force: true });
    }
    writeFileAtomicSync(this.#fileOf(gateway.data), JSON.stringify(gateway), OWNER_ONLY.file);
  }

  /** Takes an address away, unless another process has taken the data directory over. */
  remove({ data, pid }: Pick<ListedGateway, 'data' | 'pid'>): void {
    const file = this.#fileOf(data);
    if (read(file)?.pid === pid) rmSync(file, { force: true });
  }

  /** Those whose processes live, the newest first. A file that is no address is left out. */
  list(): ListedGateway[] {
    return namesIn(this.directory)
      .flatMap((name) => read(join(this.directory, name)) ?? [])
      .filter(({ pid }) => isAlive(pid))
      .sort((one, other) => (one.started_at < other.started_at ? 1 : -1));
  }

  #fileOf(data: string): string {
    const name = createHash('sha256').update(data).digest('hex').slice(0, 16);
    return join(this.directory, `${name}.json`);
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function read(file: string): ListedGateway | undefined {
  try {
    const { url, pid, data, started_at } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    const texts = [url, data, started_at];
    if (!Number.isSafeInteger(pid) || !texts.every((text) => typeof text === 'string')) return undefined;
    return { url, pid, data, started_at } as ListedGateway;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  if (pid < 1) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
