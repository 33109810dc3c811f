import { holdsStreamed, Streamed, type Tree, Trees } from './write-bundle.ts';

const STEP = '  ';

/** A run record as people read it: the text of `JSON.stringify` with two spaces, in pieces, however long its lists are. */
export async function* writeRunRecord(record: Tree): AsyncGenerator<string> {
  yield* written(record, '');
  yield '\n';
}

async function* written(tree: Tree, indent: string): AsyncGenerator<string> {
  const isList = tree instanceof Streamed || tree instanceof Trees;
  if (!isList && !holdsStreamed(tree)) {
    yield JSON.stringify(tree, null, STEP).replaceAll('\n', `\n${indent}`);
    return;
  }
  const inner = indent + STEP;
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  let isEmpty = true;
  for await (const [name, value] of isList ? itemsOf(tree) : Object.entries(tree as object)) {
    yield `${isEmpty ? open : ','}\n${inner}${isList ? '' : `${JSON.stringify(name)}: `}`;
    yield* written(value, inner);
    isEmpty = false;
  }
  yield isEmpty ? open + close : `\n${indent}${close}`;
}

async function* itemsOf(list: Streamed | Trees): AsyncGenerator<[name: string, value: Tree]> {
  const items: AsyncIterable<Tree> | Iterable<Tree> = list.items();
  for await (const item of items) yield ['', item];
}
