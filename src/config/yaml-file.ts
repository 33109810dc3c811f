import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import type { ConfigFault, PathFault } from './fault.ts';
import { formatPath } from './fault.ts';

/** A configuration file larger than this is not one. */
const MAX_CONFIG_BYTES = 1_048_576;

/** Most open brackets and leading spaces of a line. Deeper nesting overflows the stack of the parser and ends the process. */
const MAX_OPEN_BRACKETS = 64;
const MAX_LINE_LEAD = 128;

/** The file as data, with the way back from an option to its line. */
export interface YamlFile {
  /** Undefined when the text cannot be trusted. Options without a value are left out, so that their default applies. */
  raw: Record<string, unknown> | undefined;
  faults: ConfigFault[];
  /** Adds file, line and column to a fault. An absent option gets the position of its nearest parent. */
  locate(fault: PathFault): ConfigFault;
}

/** Parses YAML 1.2. Duplicate names, aliases, tags and several documents are faults; no message quotes the text. */
export function parseYaml(file: string, text: string): YamlFile {
  if (Buffer.byteLength(text) > MAX_CONFIG_BYTES) return unreadable(file, 'is larger than 1 MiB');
  if (isTooDeep(text)) return unreadable(file, 'is nested too deeply');
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  const place = (offset: number) => ({ line: lines.linePos(offset).line, col: lines.linePos(offset).col });
  const faults = documentFaults(document);
  return {
    raw: faults.every(({ isHarmless }) => isHarmless) ? toRaw(document) : undefined,
    faults: faults.map(({ message, offset }) => ({ path: '', message, file, ...place(offset) })),
    locate: ({ path, message }) => {
      const offset = offsetOf(document.contents, path);
      return { path: formatPath(path), message, file, ...(offset === undefined ? {} : place(offset)) };
    },
  };
}

function unreadable(file: string, message: string): YamlFile {
  return { ...withoutFile([{ path: '', message, file }]), raw: undefined };
}

/** Stands for a file that is not there: no options and no positions. */
export function withoutFile(faults: ConfigFault[]): YamlFile {
  return {
    raw: faults.length === 0 ? {} : undefined,
    faults,
    locate: ({ path, message }) => ({ path: formatPath(path), message }),
  };
}

function isTooDeep(text: string): boolean {
  let open = 0;
  for (const bracket of text.match(/[[\]{}]/g) ?? []) {
    open += bracket === '[' || bracket === '{' ? 1 : -1;
    if (open > MAX_OPEN_BRACKETS) return true;
  }
  return text.split('\n').some((line) => (/^[\s?-]*/.exec(line)?.[0].length ?? 0) > MAX_LINE_LEAD);
}

interface DocumentFault {
  offset: number;
  message: string;
  /** The rest of the file still means what it says, so its faults are worth reporting too. */
  isHarmless: boolean;
}

function documentFaults(document: Document): DocumentFault[] {
  const found = [...syntaxFaults(document), ...aliasFaults(document)];
  const root = document.contents;
  const isMapOrEmpty = root === null || isMap(root) || (isScalar(root) && root.value === null);
  if (found.length > 0 || isMapOrEmpty) return found;
  return [{ offset: 0, message: 'must be a map of sections', isHarmless: false }];
}

/**
 * Every repeated name, and the first thing that is no YAML: what follows it is guesswork. The parser's own messages may
 * quote the text, which may be a secret; only its codes are used.
 */
function syntaxFaults(document: Document): DocumentFault[] {
  const problems = [...document.errors, ...document.warnings].map(({ code, pos }) => ({
    code,
    offset: pos[0],
  }));
  const repeated = problems.filter(({ code }) => code === 'DUPLICATE_KEY');
  const broken = problems.filter(({ code }) => code !== 'DUPLICATE_KEY').slice(0, 1);
  return [
    ...repeated.map(({ offset }) => ({
      offset,
      message: 'the name stands twice in this map',
      isHarmless: true,
    })),
    ...broken.map(({ code, offset }) => ({
      offset,
      message: `is not valid YAML here (${code})`,
      isHarmless: false,
    })),
  ];
}

function aliasFaults(document: Document): DocumentFault[] {
  const faults: DocumentFault[] = [];
  const message = 'aliases are not allowed; write the value out';
  visit(document, {
    Alias: (_key, node) => {
      faults.push({ offset: node.range?.[0] ?? 0, message, isHarmless: false });
    },
  });
  return faults;
}

/** A written `null` is a value for options that take it, such as a window without end. */
function toRaw(document: Document): Record<string, unknown> {
  visit(document, {
    Pair: (_key, { value }) => (value === null || isEmpty(value) ? visit.REMOVE : undefined),
  });
  return (document.toJS({ maxAliasCount: 0 }) ?? {}) as Record<string, unknown>;
}

/** Nothing is written there. */
function isEmpty(node: unknown): boolean {
  return isScalar(node) && node.value === null && !node.source;
}

function offsetOf(root: unknown, path: readonly (string | number)[]): number | undefined {
  let node = root;
  let offset: number | undefined;
  for (const step of path) {
    const child = childOf(node, step);
    if (child === undefined) break;
    node = child.value;
    offset = child.offset ?? offset;
  }
  return offset;
}

function childOf(
  node: unknown,
  step: string | number,
): { value: unknown; offset: number | undefined } | undefined {
  if (isSeq(node)) {
    const value = typeof step === 'number' ? node.items[step] : undefined;
    return value === undefined ? undefined : { value, offset: startOf(value) };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === step);
  return pair === undefined ? undefined : { value: pair.value, offset: startOf(pair.key) };
}

function startOf(node: unknown): number | undefined {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range?.[0] : undefined;
}
