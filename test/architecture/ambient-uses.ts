import { lineAt, nameOf, type Place, placesOf, type SyntaxNode } from './syntax.ts';

/** A use of something that is neither an argument nor imported from this package. */
export interface AmbientUse {
  /** `date` only formats or parses a given time, and matters in pure folders only. */
  readonly what: 'clock' | 'random' | 'timer' | 'environment' | 'network' | 'date';
  readonly spelled: string;
  readonly line: number;
}

type What = AmbientUse['what'];

const MEMBERS = new Map<string, What>([
  ['Date.now', 'clock'],
  ['performance.now', 'clock'],
  ['process.hrtime', 'clock'],
  ['process.uptime', 'clock'],
  ['Math.random', 'random'],
  ['crypto.randomUUID', 'random'],
  ['crypto.getRandomValues', 'random'],
  ['AbortSignal.timeout', 'timer'],
  ['process.env', 'environment'],
]);

/** setImmediate is not among them: it yields a turn of the event loop and measures no time. */
const NAMES = new Map<string, What>([
  ['setTimeout', 'timer'],
  ['setInterval', 'timer'],
  ['fetch', 'network'],
  ['globalThis', 'environment'],
]);

/** Named imports of node:crypto that make values up. */
const RANDOM_IMPORTS = /^random(UUID|Bytes|Int|Fill|FillSync)$/;

export function ambientUsesOf(source: string): AmbientUse[] {
  return placesOf(source).flatMap((place) => {
    const use = memberUse(place.node) ?? dateUse(place.node) ?? importUse(place.node) ?? nameUse(place);
    return use === undefined ? [] : [{ ...use, line: lineAt(source, place.node.start) }];
  });
}

type Use = Omit<AmbientUse, 'line'>;

function memberUse(node: SyntaxNode): Use | undefined {
  if (node.type !== 'MemberExpression') return undefined;
  return known(MEMBERS, `${nameOf(node['object'])}.${nameOf(node['property'])}`);
}

function dateUse(node: SyntaxNode): Use | undefined {
  if (nameOf(node['callee']) !== 'Date') return undefined;
  if (node.type === 'CallExpression') return { what: 'clock', spelled: 'Date()' };
  if (node.type !== 'NewExpression') return undefined;
  const isNow = Array.isArray(node['arguments']) && node['arguments'].length === 0;
  return isNow ? { what: 'clock', spelled: 'new Date()' } : { what: 'date', spelled: 'new Date(...)' };
}

function importUse(node: SyntaxNode): Use | undefined {
  const name = node.type === 'ImportSpecifier' ? nameOf(node['imported']) : undefined;
  return name !== undefined && RANDOM_IMPORTS.test(name) ? { what: 'random', spelled: name } : undefined;
}

/** A name counts where it is read, not where it names a member of something else. */
function nameUse({ node, parent, member }: Place): Use | undefined {
  const name = nameOf(node);
  if (name === undefined) return undefined;
  const isMemberName = ['property', 'key', 'imported'].includes(member) && parent?.['computed'] !== true;
  return isMemberName ? undefined : known(NAMES, name);
}

function known(table: ReadonlyMap<string, What>, spelled: string): Use | undefined {
  const what = table.get(spelled);
  return what === undefined ? undefined : { what, spelled };
}
