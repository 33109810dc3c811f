import type { JsonValue } from '#protocol/json.ts';
import type { BundleFile, Span } from './bundle-file.ts';
import { atIndex, atMember } from './json-path.ts';

/** A piece small enough to be parsed: a value, a member name, or some items of a list. */
export interface Piece {
  path: string;
  value: JsonValue;
  /** Its JSON text, in which only the ASCII characters are what they were. */
  ascii: string;
  /** Of items: place of the first one; `path` is that of their list. */
  first?: number;
}

/** Every part of the document, parsed strictly; once all were seen, the file need not do so again. */
export function* piecesOf(file: BundleFile): Generator<Piece> {
  yield* piecesIn(file, file.root, '$');
  file.wasRead();
}

function* piecesIn(file: BundleFile, span: Span, path: string): Generator<Piece> {
  if (file.isSmall(span) || !(file.isObject(span) || file.isList(span))) yield pieceOf(path, file.read(span));
  else if (file.isObject(span))
    for (const [name, value] of file.entries(span)) {
      yield { path, value: name, ascii: JSON.stringify(name) };
      yield* piecesIn(file, value, atMember(path, name));
    }
  else
    for (const group of file.groups(span))
      if (file.isSmall(group.span)) yield { first: group.first, ...pieceOf(path, file.readItems(group)) };
      else yield* piecesIn(file, group.span, atIndex(path, group.first));
}

function pieceOf(path: string, { value, bytes }: { value: JsonValue; bytes: Buffer }): Piece {
  return { path, value, ascii: bytes.toString('latin1') };
}
