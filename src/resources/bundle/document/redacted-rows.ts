import type { BundleFile } from './bundle-file.ts';
import type { Steps } from './paced.ts';

/** Lists of the gateway's own record, in which a replacement makes a row another one than was recorded. */
export type RowList = 'events' | 'frames' | 'pieces';

const PLACE = /^\$\.replay\.run_record\.harn_gateway\.(events|frames|pieces)\[(\d+)\]/;

/** The rows that the manifest of a bundle says something was taken out of: any other that was changed was tampered with. */
export class RedactedRows {
  readonly #rows = new Map<RowList, Set<number>>();

  /** Reads the manifest. */
  static *of(file: BundleFile): Steps<RedactedRows> {
    const rows = new RedactedRows();
    for (const { value, bytes } of file.values(file.find('redaction', 'entries'))) {
      const { path } = value as { path: string };
      const [, list, index] = PLACE.exec(path) ?? [];
      if (list !== undefined) rows.#of(list as RowList).add(Number(index));
      yield bytes;
    }
    return rows;
  }

  has(list: RowList, index: number): boolean {
    return this.#of(list).has(index);
  }

  #of(list: RowList): Set<number> {
    const known = this.#rows.get(list) ?? new Set();
    this.#rows.set(list, known);
    return known;
  }
}
