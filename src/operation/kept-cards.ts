import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '#store/atomic-file.ts';
import { checkedText } from '#store/checked-file.ts';
import { readKeptCard } from './data-directory.ts';

const OWNER_ONLY = 0o600;

/**
 * The cards of agents as they were last read, one file per route under `dir`, so that the gateway describes an agent that is
 * down also after its own restart. Losing one costs nothing but that.
 */
export class KeptCards {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** The record of a route, or undefined when there is none. Throws DataFileError. */
  load(route: string): string | undefined {
    return readKeptCard(this.#pathOf(route));
  }

  /** Resolves when the record is durable. One save per route at a time. */
  async save(route: string, record: string): Promise<void> {
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    await writeFileAtomic(this.#pathOf(route), checkedText({ record }), OWNER_ONLY);
  }

  /** Ids of operators have no other characters than these. */
  #pathOf(route: string): string {
    return join(this.#dir, `${route.replaceAll(/[^a-z0-9_-]/g, '.')}.json`);
  }
}
