import { readdirSync, readFileSync, statSync } from 'node:fs';
import { type Config, loadConfig } from '#config/load.ts';
import type { ConfigOptions } from './gateway-config.ts';
import { packageRoot } from './package-facts.ts';

const LOOK_INTERVAL_MS = 1_000;

/** A configuration that can be read again, and that notices when something it was read from changes. */
export class WatchedConfig {
  readonly #flags: ConfigOptions;
  /** Files and directories that the last reading looked at, each with its state then. */
  readonly #seen = new Map<string, string>();

  constructor(flags: ConfigOptions) {
    this.#flags = flags;
  }

  /** Throws ConfigError with every fault. */
  read(): Config {
    this.#seen.clear();
    return loadConfig({
      flags: this.#flags,
      env: process.env,
      cwd: process.cwd(),
      packageRoot,
      readFile: (path) => {
        this.#seen.set(path, stateOf(path));
        return readFileSync(path, 'utf8');
      },
      listFiles: (dir) => {
        this.#seen.set(dir, stateOf(dir));
        return readdirSync(dir);
      },
    });
  }

  /**
   * Calls when a file or directory is another than at the last reading, and has been the same for one look: an editor may be in the
   * middle of writing. Looks every second, which works for mounted volumes too. Returns what stops it.
   */
  watch(changed: () => void): () => void {
    let last = '';
    const timer = setInterval(() => {
      const now = [...this.#seen.keys()].map(stateOf).join();
      const isOther = now !== [...this.#seen.values()].join();
      if (isOther && now === last) {
        // Also where the reading fails before it has looked at the file again: it is not read twice for one change.
        for (const path of this.#seen.keys()) this.#seen.set(path, stateOf(path));
        changed();
      }
      last = now;
    }, LOOK_INTERVAL_MS);
    timer.unref();
    return () => clearInterval(timer);
  }
}

/** By the file behind a link: a volume of Kubernetes exchanges the link. */
function stateOf(path: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    return `${ino}:${size}:${mtimeMs}`;
  } catch {
    return 'absent';
  }
}
