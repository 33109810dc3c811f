/**
 * Who may import whom (design section 1). A layer is a folder or a file; the longest match decides, and files of one
 * layer may import each other. `*` stands for one folder name and means the same name in `imports`.
 */
export interface LayerRow {
  readonly layer: string;
  /** Files or folders it may import. */
  readonly imports: readonly string[];
  /** Files or folders of which it may import types only. */
  readonly types?: readonly string[];
  readonly because: string;
}

const CONTRACTS = ['src/gateway.ts', 'src/upstream.ts', 'src/face.ts'];
/** Everything between the ports and the bytes. */
const CORE = [
  ...CONTRACTS,
  'src/protocol',
  'src/json',
  'src/store',
  'src/receipts',
  'src/replay',
  'src/transcript',
  'src/eventlog',
  'src/projections',
  'src/redaction',
  'src/bundles',
  'src/auth',
  'src/policy',
  'src/dispatch',
  'src/cards',
];

export const LAYERS: readonly LayerRow[] = [
  // The bottom: words, shapes and pure helpers of the language.
  { layer: 'src/protocol', imports: [], because: 'words and shapes depend on nothing' },
  {
    layer: 'src/json',
    imports: ['src/protocol'],
    because: 'reading and hashing JSON needs its types and errors',
  },
  {
    layer: 'src/gateway.ts',
    imports: ['src/protocol'],
    because: 'the port of the faces is protocol words only',
  },
  {
    layer: 'src/upstream.ts',
    imports: ['src/protocol'],
    because: 'the port of the agents is protocol words only',
  },
  {
    layer: 'src/face.ts',
    imports: ['src/protocol'],
    types: ['src/gateway.ts', 'src/upstream.ts'],
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
    imports: ['src/protocol', 'src/json', 'src/store'],
    because: 'keys and receipts are files and records of the store',
  },
  {
    layer: 'src/receipts/standalone',
    imports: [],
    because: 'a second verifier that shares no mistake with the first',
  },
  {
    layer: 'src/eventlog',
    imports: ['src/protocol', 'src/json', 'src/store'],
    types: ['src/receipts'],
    because: 'commits are records of the store; the key of the checkpoint and the folds are handed in',
  },
  {
    layer: 'src/projections',
    // The tree of a chain of receipts is part of what is folded.
    imports: ['src/protocol', 'src/json', 'src/receipts/merkle.ts'],
    types: ['src/eventlog'],
    because: 'evolve functions are pure: they see the shape of an event, never the log',
  },

  // Decisions.
  { layer: 'src/redaction', imports: ['src/protocol'], because: 'a filter over JSON and text' },
  { layer: 'src/auth', imports: ['src/protocol', 'src/json'], because: 'turns a credential into a caller' },
  {
    layer: 'src/policy',
    imports: ['src/protocol', 'src/json'],
    types: ['src/auth', 'src/projections'],
    because: 'pure checks over a caller and a resource that others loaded',
  },
  {
    layer: 'src/replay',
    imports: ['src/protocol', 'src/json'],
    types: ['src/upstream.ts', 'src/eventlog'],
    because:
      'what was recorded, how it is read, planned and compared: pure, so that a verdict depends on nothing else',
  },
  {
    layer: 'src/transcript',
    imports: ['src/protocol', 'src/json'],
    types: ['src/eventlog', 'src/projections'],
    because: 'the transcript is a pure value of Messages, Events and Artifacts that others read',
  },
  {
    layer: 'src/bundles',
    imports: ['src/protocol', 'src/json', 'src/receipts', 'src/redaction/marker.ts'],
    types: ['src/redaction', 'src/eventlog'],
    because: 'a run as a document: built, read and judged the same way by the gateway and on a command line',
  },
  {
    layer: 'src/resources/artifact/check-contents.ts',
    imports: ['src/eventlog', 'src/projections', 'src/store'],
    because: 'checks the content in the store of a log that is not open, as eventlog checks its commits',
  },
  {
    layer: 'src/resources/task/check-frames.ts',
    imports: ['src/protocol', 'src/replay', 'src/eventlog', 'src/store', 'src/core/content-hash.ts'],
    because: 'puts recorded frames together in the store of a log that is not open, and checks their hashes',
  },
  {
    layer: 'src/resources/receipt/check-receipts.ts',
    imports: ['src/protocol', 'src/json', 'src/receipts', 'src/eventlog', 'src/projections', 'src/store'],
    because: 'checks the receipts in the store of a log that is not open, as eventlog checks its commits',
  },
  {
    layer: 'src/resources/receipt/check-tree-nodes.ts',
    imports: ['src/protocol', 'src/receipts', 'src/eventlog', 'src/store'],
    because: 'checks the tree over those receipts, in the same store',
  },
  {
    layer: 'src/resources/trust/check-trust-records.ts',
    imports: ['src/protocol', 'src/receipts', 'src/eventlog', 'src/projections', 'src/store'],
    because: 'checks the chains of trust records, in the same store',
  },
  {
    layer: 'src/dispatch',
    imports: [
      'src/protocol',
      'src/json',
      'src/policy',
      'src/replay',
      'src/transcript',
      'src/bundles',
      'src/eventlog',
      'src/projections',
      'src/receipts',
      'src/store/keys.ts',
    ],
    types: [...CONTRACTS, 'src/auth', 'src/store'],
    because:
      'the pipeline joins them; it reads and writes through the log, of the store it knows the key layout',
  },

  {
    layer: 'src/cards',
    imports: ['src/protocol', 'src/json', 'src/receipts/ed25519.ts', 'src/receipts/strict-base64.ts'],
    because:
      'makes, signs and verifies cards; keys and agents are handed in; which keys and spellings nobody may trust is said once',
  },

  // Faces and agents: nothing behind the ports.
  {
    layer: 'src/surfaces',
    imports: ['src/protocol', 'src/json', 'src/cards'],
    types: ['src/gateway.ts', 'src/face.ts'],
    because: 'a face decodes, calls the port, encodes',
  },
  {
    layer: 'mappings/table.ts',
    imports: [],
    because: 'the form of a word table',
  },
  {
    layer: 'mappings/*',
    imports: ['mappings/table.ts', 'src/protocol'],
    types: ['src/upstream.ts'],
    because: 'words of one protocol; moves are the types of the upstream port',
  },
  {
    layer: 'bridges/bridge.ts',
    imports: [],
    types: [...CONTRACTS, 'src/protocol'],
    because: 'the contract of a bridge is made of the three ports',
  },
  {
    layer: 'bridges/outbound',
    imports: [],
    types: ['bridges/bridge.ts', 'src/upstream.ts', 'src/protocol'],
    because: 'the one way out, to the network and to child processes, common to the bridges',
  },
  {
    layer: 'bridges/inbound',
    imports: [],
    types: ['src/gateway.ts', 'src/protocol'],
    because: 'how faces call the gateway port, common to the bridges',
  },
  {
    layer: 'bridges/*',
    imports: ['bridges/inbound', 'bridges/outbound', 'mappings/*', 'src/protocol', 'src/cards'],
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
    layer: 'src/vaults',
    imports: ['src/protocol', 'src/store/secret-box.ts', 'src/store/atomic-file.ts'],
    because: 'reads secrets of configured vaults; they are files and variables, not resources',
  },
  {
    layer: 'src/config',
    imports: ['src/protocol', 'src/vaults'],
    because: 'files and environment become typed settings; what they mean is decided elsewhere',
  },
  {
    layer: 'src/composition',
    imports: [
      ...CORE,
      'src/config',
      'src/vaults',
      'src/operation',
      'src/surfaces',
      'bridges/outbound',
      'bridges/index.ts',
    ],
    types: ['bridges/bridge.ts'],
    because: 'the parts of the composition root: with compose.ts the only constructor of things',
  },
  {
    layer: 'src/compose/compose.ts',
    imports: ['src/composition', 'src/dispatch', 'src/operation', 'src/surfaces/timers.ts'],
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
    ],
    types: ['src/redaction', 'src/eventlog', 'src/surfaces'],
    because: 'the machine around the gateway: data directory, log lines, metrics, readiness, child processes',
  },
  {
    layer: 'src/cli',
    imports: [
      'src/compose/compose.ts',
      'src/config',
      'src/operation/data-directory.ts',
      'src/operation/process-guard.ts',
      'src/operation/running-gateways.ts',
      // The launcher runs the MCP servers that an editor names.
      'bridges/outbound/child.ts',
      'src/protocol',
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
      // Bundles are made, read and judged without a gateway.
      'src/bundles',
      'src/redaction',
      // Keys are made without a gateway.
      'src/auth/api-keys.ts',
      // Cards are verified without a gateway.
      'src/cards',
      // Vaults are filled without a gateway.
      'src/vaults',
      'src/json/strict-parse.ts',
      // Printed without a gateway.
      'src/surfaces/discovery/openapi.ts',
    ],
    types: ['src/eventlog/finding.ts'],
    because:
      'commands start what compose built, or are clients of a running gateway; of the rest they know names',
  },
  {
    layer: 'src/main.ts',
    imports: ['src/cli'],
    because: 'the binary hands over to the commands',
  },
];
