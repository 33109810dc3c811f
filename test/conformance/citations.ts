import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A row id where a title of a test names it. */
export interface Citation {
  readonly id: string;
  readonly file: string;
  readonly title: string;
}

/** Rows of a repeated test may hold calls, up to three deep. */
const EACH = /\.each\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)/.source;
const QUOTED = /\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/.source;
const TITLE = new RegExp(`\\b(?:it|test)(?:${EACH})?${QUOTED}`, 'g');
const ID = /\[([A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*)\]/g;

/** The rows that the titles of a source cite. Ids stand at the start of a title, in brackets. */
export function citationsIn(file: string, source: string): Citation[] {
  return [...source.matchAll(TITLE)].flatMap(([, , title = '']) => {
    const head = /^(?:\[[^\]]*\] ?)*/.exec(title)?.[0] ?? '';
    return [...head.matchAll(ID)].map(([, id = '']) => ({ id, file, title }));
  });
}

/** Citations of every test file below a directory. */
export function citationsBelow(directory: string): Citation[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .flatMap((file) => citationsIn(file, readFileSync(join(directory, file), 'utf8')));
}
