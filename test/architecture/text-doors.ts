import { productCode, type SourceTree } from './source-tree.ts';

/** A way in for words of somebody else. */
interface TextDoor {
  /** What comes in by it. */
  readonly what: string;
  /** Files that let the redactor read it; no other file of the product calls the redactor. */
  readonly readAt: readonly string[];
}

/** Every door of the gateway. What it makes by itself, ids, states, times and the words of its tables, comes by none and is not read. */
export const TEXT_DOORS = {
  'caller bodies': {
    what: 'bodies and queries of commands: content, metadata, the names of members',
    readAt: [
      'src/resources/session-input/session-inputs.ts',
      'src/core/command-run.ts',
      'src/resources/message/commands.ts',
      'src/resources/push/push-targets.ts',
      'src/resources/vault/refuse-secrets.ts',
      'src/resources/permission/settle-request.ts',
    ],
  },
  'file contents': {
    what: 'the path of a file, and the media type of content; the bytes stay as they were sent, outside of the log',
    readAt: ['src/resources/artifact/chunks.ts', 'src/resources/workspace/commands.ts'],
  },
  'token claims': {
    what: 'the names of a caller, as its credential has them',
    readAt: ['src/core/door.ts'],
  },
  'live clients': {
    what: 'what a client on a connection says of itself',
    readAt: ['src/resources/live-client/connections.ts'],
  },
  deliveries: {
    what: 'what a provider posts to a connector, with its headers',
    readAt: ['src/resources/connector/commands.ts'],
  },
  frames: {
    what: 'what agents and servers say, with the keys it is recorded under and the calls they ask for',
    readAt: [
      'bridges/a2a/client/connection.ts',
      'src/resources/permission/remembered-permission.ts',
      'src/runner/apply-moves.ts',
      'src/runner/frame-recorder.ts',
      'src/runner/turn.ts',
      'src/runner/task-run.ts',
      'src/runner/apply-words.ts',
    ],
  },
  'cards and tool descriptions': {
    what: 'what agents and servers say of themselves before they are asked anything',
    readAt: [
      'bridges/a2a/client/discovery.ts',
      'bridges/acp/client/pool.ts',
      'bridges/mcp/client/catalogue.ts',
      'src/compose/core.ts',
      'src/compose/clients.ts',
    ],
  },
  'reasons of operators': {
    what: 'why a log goes on that holds less than it did, and of which backup it was made',
    readAt: ['src/compose/restore-data.ts'],
  },
  'stderr of children': {
    what: 'what a child process writes; it goes to the log lines alone',
    readAt: ['bridges/wire/child.ts', 'src/operation/logger.ts'],
  },
  overrides: {
    what: 'what a replay takes in the place of what was recorded, and what comes out of it',
    readAt: ['src/runner/replay/replay-run.ts', 'src/resources/replay/submit-replay.ts'],
  },
  imports: {
    what: 'the events, frames and artifacts of a bundle',
    readAt: [
      'src/resources/bundle/restore-contents.ts',
      'src/resources/bundle/restore-session.ts',
      'src/resources/bundle/commands.ts',
    ],
  },
  'errors of others': {
    what: 'why a receiver, a peer or the policy said no',
    readAt: [
      'src/resources/quota/check-quotas.ts',
      'src/resources/task/commands.ts',
      'src/resources/receipt/commands.ts',
      'src/resources/push/outbox.ts',
      'src/core/refusals.ts',
      'src/runner/task-run.ts',
      'src/runner/task-runner.ts',
    ],
  },
  configuration: {
    what: 'names of workspaces, personas, vaults, quotas, connectors and webhooks',
    readAt: ['src/compose/compose.ts', 'src/compose/reload.ts', 'src/compose/approvals.ts'],
  },
  extracts: {
    what: 'a summary that joins pieces of many messages: joined, they may make a secret that none of them has',
    readAt: ['src/resources/session/commands.ts', 'src/resources/session/transcript/make-room.ts'],
  },
  bundles: {
    what: 'an export, by rules of its own (src/resources/bundle/document/redact-bundle.ts)',
    readAt: ['src/resources/bundle/document/redact-bundle.ts'],
  },
} as const satisfies Readonly<Record<string, TextDoor>>;
export type TextDoorName = keyof typeof TEXT_DOORS;

const CALL =
  /\b(?:redact|redactFrame|redactValue|redactForLog|redactForBundle|redactText)(?:<[^;()]*>)?\(|\b(?:redactor|keys|target)\.clean(?:<[^;()]*>)?\(/;
/** The redactor itself, and the port that hands it to the bridges. */
const NO_DOOR = ['src/redaction/', 'src/core/facts.ts', 'bridges/bridge.ts'];

/** Files that call the redactor and stand in no row, and files of the rows that do not call it. */
export function doorFindings(tree: SourceTree): string[] {
  const listed: readonly string[] = Object.values(TEXT_DOORS).flatMap(({ readAt }) => [...readAt]);
  const calling = productCode(tree)
    .filter(([path, source]) => CALL.test(source) && !NO_DOOR.some((prefix) => path.startsWith(prefix)))
    .map(([path]) => path);
  return [
    ...calling.filter((path) => !listed.includes(path)).map((path) => `${path} is no door`),
    ...listed.filter((path) => !calling.includes(path)).map((path) => `${path} reads nothing`),
  ];
}
