import { type Requirement, section } from './requirement.ts';

/** The decisions of the contract that this version has to keep. */
export const CONTRACT: readonly Requirement[] = [
  ...section('Contract 1, Surface', [
    ['C1', 'DECIDED', 'the card carries the union of fields; `object` follows the version header, with Vary'],
    [
      'C2',
      'DECIDED',
      'a receipt is a resource around the canonical receipt, which is served bare and as CBOR by Accept',
    ],
    ['C3', 'DECIDED', 'the A2A card satisfies readers of 1.0 and 0.3; every skill has tags'],
    [
      'C4',
      'DECIDED',
      'cancel: CANCELED again 200, other ends 409 with the status; illegal moves 400; times of a cancel',
    ],
    ['C5', 'DECIDED', 'sha256 is bare hex in artifacts, the prefix is accepted'],
    ['C6', 'DECIDED', 'lists: page object and copies, limit 1..200, cursors opaque and stable under inserts'],
    [
      'C7',
      'DECIDED',
      'ranges: after_event_id with aliases, next_cursor usable there, rereads byte-identical',
    ],
    ['C8', 'DECIDED', 'Event and Message have the whole envelope, with updated_at and workspace_id'],
    [
      'C10',
      'DECIDED',
      'WebSocket: upgrades on stream paths and /v1/ws, credentials by header or subprotocol, acks and errors',
    ],
    [
      'C11',
      'DECIDED',
      'merkle_root is the RFC 6962 root over the receipts of the same chain before; the first has none',
    ],
    [
      'C12',
      'DECIDED',
      'a receipt of the task in the commit of its end; one of its acceptance where operator or persona ask for it',
    ],
    ['C13', 'DECIDED', 'COMPLETED is SUCCEEDED in the Outcome'],
    ['C18', 'DECIDED', 'a deleted memory is answered with 204 and no body'],
    ['C19', 'DECIDED', 'bad cursors: malformed 400, unknown 410 in REST, one error frame in SSE'],
    ['C20', 'DECIDED', 'deliveries are checked by their signature and deduped by their id'],
    ['C21', 'DECIDED', 'a key of a write that names no workspace counts per actor'],
    ['C22', 'DECIDED', '401 before 426 before 403 and 404; the public routes need neither key nor version'],
    ['C23', 'DECIDED', 'cards carry asymmetric signatures over their RFC 8785 text; each variant its own'],
    ['C24', 'DECIDED', 'a task that can start is WORKING in its answer, a queued one is SUBMITTED'],
    [
      'C25',
      'DECIDED',
      'SSE bytes: LF, id, event, data; history first; ends after the terminal event; heartbeats',
    ],
    ['C26', 'DECIDED', 'a vault says neither secrets nor members named like one'],
    ['C27', 'DECIDED', 'content above the limit goes to an Artifact and a reference, on every way in'],
    [
      'C28',
      'DECIDED',
      'a task input with role or parts is a Message and must be valid; another object is a payload',
    ],
  ]),
  ...section('Contract 3, Receipts', [
    ['S3-01', 'DECIDED', 'verification goes by its order; the verdict names step, index, expected, observed'],
    ['S3-02', 'DECIDED', 'the hash is over RFC 8785 bytes without receipt_hash and signatures'],
    ['S3-10', 'DECIDED', 'heads of the receipt log are signed over re-read records, and only grow'],
    ['S3-03', 'DECIDED', 'a signature outside the window of its key fails; keys that ended stay queryable'],
    [
      'S3-04',
      'DECIDED',
      'absent strings are left out; without a model call the model is none, with a reason',
    ],
    [
      'S3-12',
      'DECIDED',
      'tokens of an agent that counts its whole session are the difference between turns, and the receipt says so',
    ],
    ['S3-05', 'DECIDED', 'the ed25519 signature is over the receipt_hash string, by a key of the registry'],
    ['S3-06', 'DECIDED', 'materials have uri and sha256 of the recorded frames'],
  ]),
  ...section('Contract 4, Redaction', [
    ['S4-01', 'DECIDED', 'known secrets and secret patterns never reach the log'],
    ['S4-02', 'DECIDED', 'what the agent gets is what the caller sent'],
    ['S4-03', 'DECIDED', 'internal needs internal:read, receipt_only never leaves but as a hash'],
    ['S4-04', 'DECIDED', 'artifact bytes are never rewritten'],
  ]),
  ...section('Contract 5, Errors', [
    ['S5-01', 'DECIDED', 'the type follows from the code'],
    ['S5-02', 'DECIDED', 'param names the bad field as a path'],
    ['S5-03', 'DECIDED', 'hidden and absent give the same 404'],
  ]),
  ...section('Contract 6, Events', [
    ['S6-01', 'DECIDED', 'event ids are 20 digits, sequence has no gaps, previous_event_id links'],
    ['S6-02', 'DECIDED', 'every emitted kind has a payload schema and keeps to it'],
    ['S6-03', 'DECIDED', 'ids are object_ULID, times have milliseconds and Z'],
  ]),
  ...section('Contract 7, Operator', [
    [
      'S7-01',
      'DECIDED',
      'route: of the task, else of its persona, else of the session, else the default; an unknown one is 400',
    ],
    ['S7-02', 'DECIDED', 'workspace_default exists; the first workspace of an actor is its default'],
    ['S7-03', 'DECIDED', 'trace context is kept in events and passed to the agent'],
  ]),
  ...section('Contract, Replay', [
    ['C9', 'DECIDED', 'a Session is replayed as a list of Tasks, told by session.replayed; no turn is added'],
    [
      'C15',
      'DECIDED',
      'a wrong override is 400 at its member; what has no material is a delta only; exact takes none',
    ],
    ['N7-REPLAY', 'DECIDED', 'a running task is 409; a tampered history is a replay task that FAILED'],
  ]),
  ...section('Contract 9, Sessions and turns', [
    ['S9-01', 'DECIDED', 'ACTIVE while a task runs, PAUSED while every open one is blocked, else IDLE'],
    ['S9-02', 'DECIDED', 'close cancels open tasks; a closed session takes no task'],
    ['S9-03', 'DECIDED', 'expires_at closes'],
    ['S9-04', 'DECIDED', 'interrupt needs WORKING and reaches the same upstream task'],
    ['S9-05', 'DECIDED', 'a message appended outside a task precedes the next input'],
    ['S9-06', 'DECIDED', 'tasks of one session run in the order they were accepted'],
    ['S9-07', 'DECIDED', 'a story gives the same log whichever A2A version the agent speaks'],
    ['S9-08', 'DECIDED', 'a story gives the same log through whichever face it is told'],
  ]),
];

/** A row of the contract for something that no route of this version offers. */
export interface LaterRow {
  readonly id: string;
  readonly why: string;
  /** When a path of the operations table starts so, the row is due. */
  readonly duePath: string;
}

export const LATER: readonly LaterRow[] = [];
