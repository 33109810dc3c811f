import { targetOf } from './imports.ts';
import { productCode, type SourceTree } from './source-tree.ts';
import { isNode, lineAt, nameOf, placesOf, type SyntaxNode } from './syntax.ts';

/** The one module that may say of a text that it is clean. */
const MAKER = 'src/protocol/clean.ts';
/** Shapes of clean texts, and what decisions read from the log: `CleanTaskState` and its like. */
const CLEAN_TYPE = /^(?:Clean(?:[A-Z]\w*)?|Received)$/;

/** Functions of the maker that take anybody's word, and the files that may call them, each with its reason. */
export const TAKEN_ON_TRUST: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  readByRedactor: { 'src/redaction/redactor.ts': 'it is the redactor' },
  fromLog: {
    'src/eventlog/commit-log.ts': 'heads of the log that an operator accepts',
    'src/resources/session/transcript/turns.ts': 'a turn, taken apart from the row that it shares',
    'src/resources/erasure/eraser.ts': 'ids and hashes of what an erasure removes from the log',
    'src/resources/erasure/steps.ts': 'ids and hashes of what went in one transaction',
    'src/resources/artifact/artifact-in.ts': 'the id that an import has in the log',
    'src/resources/receipt/issue-receipt.ts': 'a receipt is made of the states of its run',
    'src/resources/push/outbox.ts': 'an event on its way to a receiver',
    'src/resources/trust/record-trust.ts': 'a trust record is made of the event that it proves',
    'src/runner/replay/re-execute.ts': 'recorded times, keys and moves of a run; recorded ids',
    'src/runner/frame-recorder.ts':
      'what the session is bound to; a frame that was read when it was recorded',
    'src/resources/receipt/signing-keys.ts': 'the registry of keys is a file of the gateway',
    'src/resources/permission-rule/rules-in-force.ts': 'a decision is made of rules and policies in the log',
    'src/runner/replay/recorded-terms.ts': 'what rules answered in a recorded run',
  },
  own: {
    'src/compose/backup.ts': 'the thumbprint of a key, which is a hash',
    'src/compose/core.ts': 'the hash of a fresh key',
    'src/compose/signing-keys.ts': 'the name of the issuer, which the operator publishes',
    'src/resources/message/append-message.ts': 'a proof, which is a hash',
    'src/resources/artifact/chunks.ts': 'a hash',
    'src/resources/bundle/restore-contents.ts': 'an id made of a hash',
    'src/resources/artifact/commands.ts': 'hex digits without their prefix; a hash',
    'src/resources/push/commands.ts': 'the cursor before all events',
    'src/resources/workspace/commands.ts': 'a hash',
    'src/resources/persona/configured-personas.ts': 'a hash',
    'src/json/canonical.ts': 'a hash',
    'src/resources/task/task-frames.ts': 'a hash',
    'src/resources/receipt/issue-receipt.ts': 'an id made of an id, and a hash',
    'src/resources/artifact/large-content.ts': 'a hash',
    'src/resources/memory/content.ts': 'a hash',
    'src/resources/task/move-task.ts': 'an id made of a hash',
    'src/resources/trust/record-trust.ts': 'the id of an event, and the name of a chain',
    'src/core/refusals.ts': 'the name of an operation',
    'src/core/command-run.ts': 'the id of a connection, which is drawn',
    'src/runner/replay/re-execute.ts': 'an id made of a hash',
    'src/resources/replay/submit-replay.ts': 'an id made of a hash',
    'src/runner/apply-tool.ts': 'an id made of a hash',
    'src/runner/frame-recorder.ts': 'a key made of a configured route and a number, a proof',
    'src/eventlog/rehearsal.ts': 'a position, which is an event id',
    'src/eventlog/staged-transaction.ts': 'a position, which is an event id',
    'src/policy/settings.ts': 'the sentences of the tier table',
    'src/resources/permission-rule/policy-version.ts': 'a hash',
    'src/resources/permission/remembered-permission.ts': 'an id made of an id',
    'src/protocol/ports.ts': 'an id that is drawn; a time',
  },
};

/** Casts to a clean type, and calls that take a text on trust where the table does not let them. */
export function cleanTextFindings(tree: SourceTree): string[] {
  return productCode(tree).flatMap(([path, source]) => {
    if (path === MAKER) return [];
    return placesOf(source).flatMap(({ node }) => {
      const problem = castIn(node) ?? trustIn(node, path);
      return problem === undefined ? [] : [`${path}:${lineAt(source, node.start)}: ${problem}`];
    });
  });
}

/** Rows of the table that nothing uses any more. */
export function unusedTrust(tree: SourceTree): string[] {
  return Object.entries(TAKEN_ON_TRUST).flatMap(([name, files]) =>
    Object.keys(files).filter((path) => !namesFrom(path, tree.get(path) ?? '', MAKER).has(name)),
  );
}

function castIn(node: SyntaxNode): string | undefined {
  if (node.type !== 'TSAsExpression' && node.type !== 'TSTypeAssertion') return undefined;
  const named = typeNamesIn(node['typeAnnotation']).find((name) => CLEAN_TYPE.test(name));
  return named === undefined ? undefined : `a cast to ${named}: only ${MAKER} says what is clean`;
}

function trustIn(node: SyntaxNode, path: string): string | undefined {
  if (node.type !== 'ImportSpecifier' || node['importKind'] === 'type') return undefined;
  const name = nameOf(node['imported']) ?? '';
  const files = Object.hasOwn(TAKEN_ON_TRUST, name) ? TAKEN_ON_TRUST[name] : undefined;
  return files === undefined || Object.hasOwn(files, path) ? undefined : `${name} is not for this file`;
}

function typeNamesIn(type: unknown): string[] {
  if (Array.isArray(type)) return type.flatMap(typeNamesIn);
  if (!isNode(type)) return [];
  const own = type.type === 'TSTypeReference' ? nameOf(type['typeName']) : undefined;
  return [...(own === undefined ? [] : [own]), ...Object.values(type).flatMap(typeNamesIn)];
}

/** Names that a file imports from another one. */
function namesFrom(path: string, source: string, target: string): ReadonlySet<string> {
  const imports = placesOf(source).flatMap(({ node }) => (node.type === 'ImportDeclaration' ? [node] : []));
  const names = imports.flatMap(({ source: from, specifiers }) => {
    const named = isNode(from) && typeof from['value'] === 'string' ? from['value'] : '';
    if (targetOf(path, named) !== target || !Array.isArray(specifiers)) return [];
    return specifiers.flatMap((specifier) => (isNode(specifier) ? (nameOf(specifier['local']) ?? []) : []));
  });
  return new Set(names);
}
