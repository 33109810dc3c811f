/**
 * Who may import whom; the README says how a request flows through the layers. A layer is a folder or a file; the longest match
 * decides, and files of one layer may import each other. `*` stands for one folder name and means the same name in `imports`; words in braces, such as
 * `{room}`, stand for any name or part of one.
 */
export interface LayerRow {
  readonly layer: string;
  /** Files or folders it may import. */
  readonly imports: readonly string[];
  /** Files or folders of which it may import types only. */
  readonly types?: readonly string[];
  /** Whether it may load any file of its own folder on demand, by `import('...')`. */
  readonly loadsOwn?: boolean;
  /** Of those, files or folders that it may not. */
  readonly never?: readonly string[];
  readonly because: string;
}

const CONTRACTS = ['src/gateway.ts', 'src/protocol-client.ts', 'src/protocol-server.ts'];

/** Shapes and names of resources, which everybody may know: no more than words, like those of src/protocol. */
const ROOM_WORDS = [
  'src/resources/{room}/{part-}schema.ts',
  'src/resources/{room}/{part-}operations.ts',
  'src/resources/{room}/{part-}events.ts',
  'src/resources/{room}/listing.ts',
  'src/resources/{room}/transcript/schema.ts',
  'src/resources/memory/given-memory.ts',
  'src/resources/permission/draft.ts',
  'src/resources/room.ts',
  'src/resources/rooms.ts',
  'src/resources/operations.ts',
  'src/resources/event-payloads.ts',
];
/** Says which words and which code are those of a room. */
const ROOM = 'src/resources/{room}/room.ts';
const WORDS = ['src/protocol', ROOM, ...ROOM_WORDS];

/** What is folded from events, and under which keys it is read. */
const STATES = [
  'src/resources/states.ts',
  'src/resources/{room}/state.ts',
  'src/resources/payload.ts',
  'src/resources/said-slots.ts',
  'src/resources/{room}/fold{-part}.ts',
  'src/resources/session/transcript/turns.ts',
  'src/resources/artifact/stored-content.ts',
];

/** Parts of rooms that are pure, and stand for themselves: a document, a value, a record of a run. */
const DOCUMENT = 'src/resources/bundle/document';
const RECORD = 'src/resources/replay/record';
const SECRETS = 'src/resources/vault/secrets';
const TRANSCRIPT = ['blocks', 'budget', 'event-layer', 'extract', 'transcript'].map(
  (name) => `src/resources/session/transcript/${name}.ts`,
);
const EXAMPLES = [
  'src/resources/example-world.ts',
  'src/resources/load-examples.ts',
  'src/resources/{room}/example.ts',
  'src/resources/session/transcript/examples.ts',
];
/** What looks at the store of a log that is not open. */
const CHECKS = [
  'src/resources/artifact/check-contents.ts',
  'src/resources/receipt/check-receipts.ts',
  'src/resources/receipt/check-tree-nodes.ts',
  'src/resources/task/check-frames.ts',
  'src/resources/trust/check-trust-records.ts',
];
/** What a room adds to the command line. */
const COMMAND_LINES = ['src/resources/{room}/{part-}cli.ts', 'src/resources/session/transcript/cli.ts'];

/** Everything between the ports and the bytes. */
const CORE = [
  ...CONTRACTS,
  'src/protocol',
  'src/json',
  'src/store',
  'src/receipts',
  'src/eventlog',
  'src/redaction',
  'src/auth',
  'src/policy',
  'src/core',
  'src/resources',
  'src/runner',
  'src/cards',
];

/** What decisions are made of, in a room and where tasks run. */
const DECISIONS = [
  'src/protocol',
  'src/json',
  'src/policy',
  'src/core',
  'src/eventlog',
  'src/receipts',
  'src/store/keys.ts',
];
const DECISION_TYPES = [...CONTRACTS, 'src/auth', 'src/store'];

export const LAYERS: readonly LayerRow[] = [
  // The bottom: words, shapes and pure helpers of the language.
  { layer: 'src/protocol', imports: [], because: 'words and shapes depend on nothing' },
  ...ROOM_WORDS.map((layer) => ({
    layer,
    imports: WORDS,
    because: 'the words of a resource are made of words',
  })),
  {
    layer: ROOM,
    imports: [...WORDS, 'src/resources/{room}/state.ts'],
    loadsOwn: true,
    because:
      'tables of words are made of the rooms, and what a room does needs these tables: it is loaded later',
  },
  {
    layer: 'src/json',
    imports: ['src/protocol'],
    because: 'reading and hashing JSON needs its types and errors',
  },
  {
    layer: 'src/gateway.ts',
    imports: WORDS,
    because: 'the port of the faces is words only',
  },
  {
    layer: 'src/protocol-client.ts',
    imports: WORDS,
    because: 'the port of the agents is words only',
  },
  {
    layer: 'src/protocol-server.ts',
    imports: WORDS,
    types: ['src/gateway.ts', 'src/protocol-client.ts'],
    because: 'the port of the faces that bridges bring: calls of the gateway over HTTP and sockets',
  },

  // Storage and the log.
  {
    layer: 'src/store',
    imports: ['src/protocol'],
    because: 'bytes under keys; knows no resource',
  },
  {
    layer: 'src/receipts',
    imports: [...WORDS, 'src/json', 'src/store', 'src/receipts/standalone'],
    because: 'keys and receipts are files and records of the store',
  },
  {
    layer: 'src/receipts/standalone',
    imports: [],
    because: 'the verifier of the command line, which shares no mistake with that of the gateway',
  },
  {
    layer: 'src/eventlog',
    imports: ['src/protocol', 'src/json', 'src/store'],
    types: [...ROOM_WORDS, 'src/receipts'],
    because: 'commits are records of the store; the key of the checkpoint and the folds are handed in',
  },

  // Decisions.
  { layer: 'src/redaction', imports: ['src/protocol', 'src/json'], because: 'a filter over JSON and text' },
  { layer: 'src/auth', imports: [...WORDS, 'src/json'], because: 'turns a credential into a caller' },
  {
    layer: 'src/policy',
    imports: [...WORDS, 'src/json'],
    types: ['src/auth', ...STATES],
    because: 'pure checks over a caller and a resource that others loaded',
  },
  {
    layer: 'src/core',
    imports: [
      ...WORDS,
      ...STATES,
      'src/json',
      'src/policy',
      'src/auth',
      'src/eventlog',
      'src/receipts',
      'src/store/keys.ts',
    ],
    types: [...CONTRACTS, 'src/store', 'src/resources'],
    because:
      'what all resources share: admission, transactions, lists, streams; what a resource does is handed in',
  },

  // The rooms. A file of a room that no row names decides: commands, queries, and what they are made of.
  ...STATES.map((layer) => ({
    layer,
    // The tree of a chain of receipts is part of what is folded.
    imports: [...WORDS, ...STATES, 'src/json', 'src/receipts/merkle.ts'],
    types: ['src/eventlog'],
    because: 'folds are pure: they see the shape of an event, never the log',
  })),
  {
    layer: RECORD,
    imports: [...WORDS, 'src/json'],
    types: ['src/protocol-client.ts', 'src/eventlog'],
    because:
      'what was recorded, how it is read, planned and compared: pure, so that a verdict depends on nothing else',
  },
  ...TRANSCRIPT.map((layer) => ({
    layer,
    imports: [...WORDS, ...TRANSCRIPT, 'src/json'],
    types: ['src/eventlog', ...STATES],
    because: 'the transcript is a pure value of Messages, Events and Artifacts that others read',
  })),
  {
    layer: DOCUMENT,
    imports: [...WORDS, 'src/json', 'src/receipts', 'src/redaction/marker.ts'],
    types: ['src/redaction', 'src/eventlog'],
    because: 'a run as a document: built, read and judged the same way by the gateway and on a command line',
  },
  {
    layer: SECRETS,
    imports: ['src/protocol', 'src/store/secret-box.ts', 'src/store/atomic-file.ts'],
    because: 'reads secrets of configured vaults; they are files and variables, not resources',
  },
  ...EXAMPLES.map((layer) => ({
    layer,
    imports: [...WORDS, ...EXAMPLES, 'src/cards'],
    because: 'what the OpenAPI document shows of a resource is data; that of a card is a card',
  })),
  ...CHECKS.map((layer) => ({
    layer,
    imports: [
      ...WORDS,
      ...STATES,
      RECORD,
      'src/json',
      'src/receipts',
      'src/eventlog',
      'src/store',
      'src/json/canonical.ts',
    ],
    because: 'checks a resource in the store of a log that is not open, as eventlog checks its commits',
  })),
  {
    layer: 'src/resources',
    imports: [...DECISIONS, 'src/resources'],
    never: [...COMMAND_LINES, ...EXAMPLES, ...CHECKS],
    types: DECISION_TYPES,
    because:
      'a room decides by what all share; it reads and writes through the log, of the store it knows the key layout',
  },
  {
    layer: 'src/runner',
    imports: [...DECISIONS, 'src/resources'],
    never: [...COMMAND_LINES, ...EXAMPLES, ...CHECKS],
    types: DECISION_TYPES,
    because: 'runs tasks, and runs them again, by what the rooms decide',
  },

  {
    layer: 'src/cards',
    imports: [...WORDS, 'src/json', 'src/receipts/ed25519.ts', 'src/receipts/strict-base64.ts'],
    because:
      'makes, signs and verifies cards; keys and agents are handed in; which keys and spellings nobody may trust is said once',
  },

  // Faces and agents: nothing behind the ports.
  {
    layer: 'src/surfaces',
    imports: [...WORDS, ...EXAMPLES, 'src/json', 'src/cards'],
    types: ['src/gateway.ts', 'src/protocol-server.ts'],
    because: 'a face decodes, calls the port, encodes',
  },
  {
    layer: 'src/surfaces/console',
    imports: ['src/client'],
    because: 'a page in a browser is a client like any other',
  },
  {
    layer: 'mappings/table.ts',
    imports: [],
    because: 'the form of a word table',
  },
  {
    layer: 'mappings/*',
    imports: ['mappings/table.ts', ...WORDS],
    types: ['src/protocol-client.ts'],
    because: 'words of one protocol; moves are the types of the upstream port',
  },
  {
    layer: 'bridges/bridge.ts',
    imports: [],
    types: [...CONTRACTS, ...WORDS],
    because: 'the contract of a bridge is made of the three ports',
  },
  {
    layer: 'bridges/wire',
    imports: ['src/protocol/errors.ts', 'src/protocol/json-shape.ts', 'src/protocol/task-states.ts'],
    types: [
      'bridges/bridge.ts',
      'src/protocol-client.ts',
      'src/protocol-server.ts',
      ...WORDS,
      'src/gateway.ts',
    ],
    because:
      'what the bridges have in common: the way out to the network and to child processes, and calls of the gateway port',
  },
  {
    layer: 'bridges/*',
    imports: ['bridges/wire', 'mappings/*', ...WORDS, 'src/cards', 'src/core/semaphore.ts'],
    types: [...CONTRACTS, 'bridges/bridge.ts'],
    because: 'an adapter translates by its own tables; one bridge never imports another',
  },
  { layer: 'bridges/index.ts', imports: ['bridges'], because: 'one line per bridge' },

  // Beside the product.
  {
    layer: 'config/sample-agent',
    imports: [],
    because: 'a program of its own, in its own process, for a newcomer to copy: it needs npm packages only',
  },

  // The top: wiring and the program.
  {
    layer: 'src/config',
    imports: [...WORDS, SECRETS],
    because: 'files and environment become typed settings; what they mean is decided elsewhere',
  },
  {
    layer: 'src/compose',
    imports: [...CORE, 'src/config', 'src/operation', 'src/surfaces', 'bridges/wire', 'bridges/index.ts'],
    types: ['bridges/bridge.ts'],
    because: 'the parts of the composition root: with compose.ts the only constructor of things',
  },
  {
    layer: 'src/compose/compose.ts',
    imports: ['src/compose', 'src/core', 'src/resources', 'src/operation', 'src/surfaces/timers.ts'],
    types: ['src/protocol', 'src/eventlog'],
    because: 'puts the parts together and takes them apart; bridges are made by a part',
  },
  {
    layer: 'src/operation',
    imports: [
      'src/protocol',
      'src/auth/api-keys.ts',
      'src/store/atomic-file.ts',
      'src/store/checked-file.ts',
      'src/resources/task/state.ts',
      'src/resources/permission/state.ts',
      'src/resources/message/state.ts',
    ],
    types: [
      ...WORDS,
      'src/gateway.ts',
      'src/protocol-client.ts',
      'src/redaction',
      'src/eventlog',
      'src/surfaces',
      'src/resources',
    ],
    because:
      'the machine around the gateway: data directory, log lines, metrics, traces, readiness, child processes',
  },
  ...['src/cli', ...COMMAND_LINES].map((layer) => ({
    layer,
    imports: [
      'src/cli',
      ...COMMAND_LINES,
      'src/client',
      'src/compose/compose.ts',
      'src/config',
      'src/operation/clock-sync.ts',
      'src/operation/data-directory.ts',
      'src/operation/machine.ts',
      'src/operation/process-guard.ts',
      'src/operation/running-gateways.ts',
      // The launcher runs the MCP servers that an editor names.
      'bridges/wire/child.ts',
      'bridges/wire/child-environment.ts',
      ...WORDS,
      // Errors of start-up, which become exit codes.
      'src/eventlog/log-meta.ts',
      'src/receipts/key-files.ts',
      'src/store/store-errors.ts',
      'src/store/checked-file.ts',
      // Files of any size are read in parts, and what is too much to be held lies in one.
      'src/store/file-part.ts',
      'src/store/body-spool.ts',
      // Receipts are verified without a gateway.
      'src/receipts/verification-keys.ts',
      'src/receipts/verify-file.ts',
      'src/receipts/verify-trust-file.ts',
      // Bundles are made, read and judged without a gateway.
      DOCUMENT,
      'src/redaction',
      // Keys are made without a gateway.
      'src/auth/api-keys.ts',
      // Cards are verified without a gateway.
      'src/cards',
      // Vaults are filled without a gateway.
      SECRETS,
      'src/json/strict-parse.ts',
      // Printed without a gateway.
      'src/surfaces/discovery/openapi.ts',
      'src/resources/load-examples.ts',
    ],
    types: ['src/eventlog/finding.ts'],
    because:
      'commands start what compose built, or are clients of a running gateway; of the rest they know names',
  })),
  {
    layer: 'src/client',
    imports: [],
    because: 'the client that the package exports: it runs in browsers, so it needs nothing of the gateway',
  },
  {
    layer: 'src/main.ts',
    imports: ['src/cli'],
    because: 'the binary hands over to the commands',
  },
];
