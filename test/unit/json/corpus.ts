import { readFileSync } from 'node:fs';

/** A JSON text of the corpus, written as text or, when it is no valid text, as hex bytes. */
export interface CorpusCase {
  id: string;
  bytes: Buffer;
  reason: string;
}

/** The cases of `fixtures/json/<name>.json`; `reason` is empty for accepted ones. */
export function corpus(name: 'accepted' | 'refused'): CorpusCase[] {
  const url = new URL(`../../../fixtures/json/${name}.json`, import.meta.url);
  const rows = JSON.parse(readFileSync(url, 'utf8')) as {
    id: string;
    text?: string;
    hex?: string;
    reason?: string;
  }[];
  return rows.map((row) => ({
    id: row.id,
    bytes: row.hex === undefined ? Buffer.from(row.text ?? '') : Buffer.from(row.hex, 'hex'),
    reason: row.reason ?? '',
  }));
}
