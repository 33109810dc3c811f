import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';

export type Closable = { close(): Promise<void> };

export interface Keeper {
  /** Closes it after the test, the last one first; gives it back. */
  kept<Thing extends Closable>(thing: Thing): Thing;
  /** Closes one before that, for a restart. */
  closeNow(thing: Closable): Promise<void>;
  /** Removes it too, when everything in it is closed. */
  keptFolder(): string;
}

/** Whatever a test starts is closed when it ends, however it ends. Call once per test file, or per `describe`. */
export function keeper(): Keeper {
  const open: Closable[] = [];
  const folders: string[] = [];
  afterEach(async () => {
    for (const thing of open.splice(0).reverse()) await thing.close();
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  return {
    kept(thing) {
      open.push(thing);
      return thing;
    },
    async closeNow(thing) {
      open.splice(open.indexOf(thing), 1);
      await thing.close();
    },
    keptFolder() {
      const folder = mkdtempSync(join(tmpdir(), 'harn-test-'));
      folders.push(folder);
      return folder;
    },
  };
}
