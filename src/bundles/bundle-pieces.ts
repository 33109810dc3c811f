import type { JsonValue } from '../protocol/json.ts';
import { type BundleFile, type Span, WHOLE_BYTES } from './bundle-file.ts';
import { atIndex, atMember } from './json-path.ts';

/** Items of a list that are read together: a look at each alone would take far longer than the look at what is in it. */
const GROUP_BYTES = 64 * 1024;

/** A piece small enough to be parsed: a value, a member name, or some items of a list. */
export interface Piece {
  path: string;
  value: JsonValue;
  /** Its JSON text, in which only the ASCII characters are what they were. */
  ascii: string;
  /** Of items: place of the first one; `path` is that of their list. */
  first?: number;
}

/** Items that follow each other, with all that stands between them. */
export interface Group {
  first: number;
  span: Span;
}

/** The items of a list in groups; one that is larger than a group is alone. */
export function* groupsOf(file: BundleFile, list: Span | undefined): Generator<Group> {
  let open: Group | undefined;
  let index = 0;
  for (const { start, end } of file.items(list)) {
    if (open !== undefined && end - open.span.start > GROUP_BYTES) {
      yield open;
      open = undefined;
    }
    open ??= { first: index, span: { start, end } };
    open.span.end = end;
    index += 1;
  }
  if (open !== undefined) yield open;
}

/** Every part of the document, parsed strictly; once all were seen, the file need not do so again. */
export function* piecesOf(file: BundleFile): Generator<Piece> {
  yield* piecesIn(file, file.root, '$');
  file.wasRead();
}

function* piecesIn(file: BundleFile, span: Span, path: string): Generator<Piece> {
  if (isSmall(span) || !(file.isObject(span) || file.isList(span)))
    yield { path, value: file.parse(span), ascii: file.ascii(span) };
  else if (file.isObject(span))
    for (const [name, value] of file.members(span)) {
      yield { path, value: name, ascii: JSON.stringify(name) };
      yield* piecesIn(file, value, atMember(path, name));
    }
  else
    for (const { first, span: items } of groupsOf(file, span))
      if (isSmall(items)) yield { path, first, value: file.parseItems(items), ascii: file.ascii(items) };
      else yield* piecesIn(file, items, atIndex(path, first));
}

function isSmall({ start, end }: Span): boolean {
  return end - start <= WHOLE_BYTES;
}
