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
      'src/dispatch/command-run.ts',
      'src/dispatch/commands/appendTaskMessage.ts',
      'src/dispatch/push-targets.ts',
      'src/dispatch/refuse-secrets.ts',
      'src/dispatch/settle-request.ts',
    ],
  },
  'file contents': {
    what: 'the path of a file, and the media type of content; the bytes stay as they were sent, outside of the log',
    readAt: ['src/dispatch/artifact-chunks.ts', 'src/dispatch/commands/writeWorkspaceFile.ts'],
  },
  'token claims': {
    what: 'the names of a caller, as its credential has them',
    readAt: ['src/dispatch/door.ts'],
  },
  deliveries: {
    what: 'what a provider posts to a connector, with its headers',
    readAt: ['src/dispatch/commands/deliverToConnector.ts'],
  },
  frames: {
    what: 'what agents and servers say, with the keys it is recorded under and the calls they ask for',
    readAt: [
      'src/dispatch/remembered-permission.ts',
      'src/dispatch/runner/apply-moves.ts',
      'src/dispatch/runner/frame-recorder.ts',
      'src/dispatch/runner/judge-action.ts',
      'src/dispatch/runner/judge-turn.ts',
      'src/dispatch/runner/says-same.ts',
    ],
  },
  'cards and tool descriptions': {
    what: 'what agents and servers say of themselves before they are asked anything',
    readAt: [
      'bridges/a2a/upstream/discovery.ts',
      'bridges/a2a/upstream/learned-streaming.ts',
      'bridges/acp/upstream/agent-pool.ts',
      'bridges/mcp/upstream/catalogue.ts',
      'src/composition/core.ts',
      'src/composition/definitions.ts',
      'src/composition/upstreams.ts',
    ],
  },
  'stderr of children': {
    what: 'what a child process writes; it goes to the log lines alone',
    readAt: ['bridges/outbound/child.ts', 'src/operation/logger.ts'],
  },
  overrides: {
    what: 'what a replay takes in the place of what was recorded, and what comes out of it',
    readAt: ['src/dispatch/replay/replay-run.ts', 'src/dispatch/replay/submit-replay.ts'],
  },
  imports: {
    what: 'the events, frames and artifacts of a bundle',
    readAt: [
      'src/dispatch/bundles/restore-assets.ts',
      'src/dispatch/bundles/restore-session.ts',
      'src/dispatch/commands/importBundle.ts',
    ],
  },
  'errors of others': {
    what: 'why a receiver, a peer or the policy said no',
    readAt: [
      'src/dispatch/check-quotas.ts',
      'src/dispatch/commands/cancelTask.ts',
      'src/dispatch/commands/verifyReceipt.ts',
      'src/dispatch/outbox/outbox.ts',
      'src/dispatch/outbox/push-lane.ts',
      'src/dispatch/refusals.ts',
      'src/dispatch/runner/task-run.ts',
      'src/dispatch/runner/task-runner.ts',
    ],
  },
  configuration: {
    what: 'names of workspaces, personas, vaults, quotas, connectors and webhooks',
    readAt: ['src/compose.ts', 'src/composition/approvals.ts'],
  },
  extracts: {
    what: 'a summary that joins pieces of many messages: joined, they may make a secret that none of them has',
    readAt: ['src/dispatch/commands/compactSession.ts', 'src/dispatch/make-room.ts'],
  },
  bundles: {
    what: 'an export, by rules of its own (src/bundles/redact-bundle.ts)',
    readAt: ['src/bundles/redact-bundle.ts'],
  },
} as const satisfies Readonly<Record<string, TextDoor>>;
export type TextDoorName = keyof typeof TEXT_DOORS;

const CALL =
  /\b(?:redact|redactFrame|redactValue|redactForLog|redactForBundle|redactText)(?:<[^;()]*>)?\(|\b(?:redactor|keys|target)\.clean(?:<[^;()]*>)?\(/;
/** The redactor itself, and the port that hands it to the bridges. */
const NO_DOOR = ['src/redaction/', 'src/dispatch/facts.ts', 'bridges/bridge.ts'];

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
