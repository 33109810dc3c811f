import { type Requirement, section } from './requirement.ts';

/** What the Agents Protocol narrative demands of a server of level Core. */
export const NARRATIVE: readonly Requirement[] = [
  ...section('Normative language', [
    ['CORE-ID-01', 'MUST NOT', 'an id never names a second resource'],
    ['CORE-ID-02', 'MUST', 'times are RFC 3339 in UTC, unknown extras live under metadata'],
  ]),
  ...section('Versioning', [
    ['CORE-VER-01', 'MUST', 'every request but public discovery carries the version header'],
    ['CORE-VER-02', 'MUST', 'a version the server does not speak is refused with 426 and its own code'],
    ['CORE-VER-03', 'SHOULD', 'the refusal lists the versions that are spoken'],
    ['CORE-VER-04', 'MUST', 'object members the receiver does not know are ignored'],
    ['CORE-VER-05', 'MUST NOT', 'an enum word the receiver does not know counts as success'],
  ]),
  ...section('Resource model', [
    ['CORE-RES-01', 'MUST', 'every top-level resource has id, object, both times and metadata'],
    ['CORE-RES-02', 'MUST', 'a Task that names a Persona never runs without the policy of that Persona'],
    ['CORE-RES-03', 'MUST', 'stateful resources name their Workspace'],
    ['CORE-RES-04', 'MUST', 'a Session has its required fields and one of the five states'],
    ['CORE-RES-05', 'MUST', 'the order of Messages in a Session is kept'],
    ['CORE-RES-06', 'MUST', 'a Task has its required fields'],
    ['CORE-RES-07', 'MUST', 'an accepted Task is durable'],
    ['CORE-RES-08', 'MUST', 'after a crash every accepted Task is found again in a state of the table'],
    ['CORE-RES-09', 'MUST', 'lineage tells whether something came from the main path'],
    [
      'CORE-RES-10',
      'MUST',
      'a Message has role and ordered parts, a Part has type and visibility, of the listed words',
    ],
    [
      'CORE-RES-11',
      'MUST',
      'an Artifact has kind, media type, uri, visibility, and a hash once its bytes are stable',
    ],
    ['CORE-RES-12', 'SHOULD', 'large payloads are Artifacts, not inlined in parts'],
    ['CORE-RES-13', 'SHOULD', 'a completed Task has exactly one Outcome'],
    [
      'CORE-RES-14',
      'MUST',
      'where transcripts walk back, truncate keeps the first turns of the session in place',
    ],
  ]),
  ...section('HarnAgentCard', [
    ['CORE-CARD-01', 'MUST', 'the card has its required fields, the A2A card nested in it'],
    [
      'CORE-CARD-02',
      'MUST',
      'a signed card states algorithm and key id; an unsigned one claims no signature',
    ],
  ]),
  ...section('Event', [
    ['CORE-EVT-01', 'MUST', 'events of one resource come in causal order'],
    ['CORE-EVT-02', 'MUST', 'an Event has id, kind, resource, time, sequence and payload'],
    ['CORE-EVT-03', 'SHOULD', 'kinds outside the taxonomy carry a vendor prefix'],
    ['CORE-EVT-04', 'MUST NOT', 'events expose hidden reasoning'],
  ]),
  ...section('Vault', [['CORE-SEC-01', 'MUST', 'events hold no secret material']]),
  ...section('Transports', [
    ['CORE-TRP-01', 'MUST', 'an advertised transport is implemented'],
    ['CORE-TRP-02', 'MUST', 'REST covers the reads and writes of level Core'],
    ['CORE-SSE-01', 'MUST', 'every frame has id, event and data, as UTF-8 text/event-stream'],
    ['CORE-SSE-02', 'SHOULD', 'Last-Event-ID resumes, with the missed events from the log'],
    ['CORE-SSE-03', 'MUST', 'a cursor that cannot be served gets an error event and the end of the stream'],
  ]),
  ...section('Transports, WebSocket', [
    ['EXT-WS-01', 'MUST', 'frames are JSON objects'],
    ['EXT-WS-02', 'MUST', 'clients send user messages, cancel tasks and truncate sessions'],
    ['EXT-WS-03', 'MUST', 'clients get events, and are asked for input and authorization'],
    ['EXT-WS-04', 'MUST', 'a cursor resumes; what is of the past is marked as replayed'],
    ['EXT-WS-05', 'SHOULD', 'pings or heartbeats show broken connections'],
  ]),
  ...section('Authentication and authorization', [
    ['CORE-AUTH-01', 'MUST', 'an API key is bound to an actor and to what that actor may do'],
    ['CORE-AUTH-02', 'MUST NOT', 'API keys show up in events, receipts or errors'],
    ['CORE-AUTH-03', 'MUST', 'actor permissions and membership of Workspace and tenant are evaluated'],
    ['CORE-AUTH-04', 'MUST NOT', 'a refusal tells secrets or that a hidden resource exists'],
  ]),
  ...section('Idempotency', [
    ['CORE-IDEM-01', 'MUST', 'writes that are not idempotent by nature take an Idempotency-Key'],
    ['CORE-IDEM-02', 'MUST', 'a key counts per actor, workspace, method and target'],
    ['CORE-IDEM-03', 'MUST', 'the first answer is kept for 24 hours'],
    ['CORE-IDEM-04', 'MUST', 'the same key and body give the same id and an equal answer'],
    ['CORE-IDEM-05', 'MUST', 'the same key with another body is 409 idempotency_key_reused'],
    ['CORE-IDEM-06', 'MUST NOT', 'retried writes make a second Task, Message or Artifact'],
    ['CORE-IDEM-07', 'MAY', 'a retry while the first one runs gets the Task under way'],
  ]),
  ...section('Task lifecycle', [
    ['CORE-LIFE-01', 'MUST', 'every transition has a Task event'],
    ['CORE-LIFE-02', 'MUST', 'a client cannot move a terminal Task'],
    ['CORE-LIFE-03', 'MUST', 'only the moves of the table happen'],
    ['CORE-LIFE-04', 'MUST NOT', 'a success replaces a recorded cancel'],
    ['CORE-LIFE-05', 'MUST', 'a blocked Task waits for input or authorization and goes on with it'],
  ]),
  ...section('Error taxonomy', [
    ['CORE-ERR-01', 'MUST', 'errors have the envelope with code, message, type and request id'],
    ['CORE-ERR-02', 'MUST', 'status and code are a pair of the table'],
    ['CORE-ERR-03', 'SHOULD', 'failures of the agent show in Task or span events'],
  ]),
  ...section('Receipt', [
    ['REC-RES-01', 'MUST', 'a Receipt has every member the schema requires'],
    ['REC-RES-02', 'MUST', 'receipt JSON is canonicalized with RFC 8785 before it is hashed or signed'],
    [
      'REC-RES-03',
      'MUST',
      'the hash leaves out chain.receipt_hash and signatures, and is stored with the prefix sha256:',
    ],
    [
      'REC-RES-04',
      'MUST',
      'the OpenAPI component references the schema of the receipt instead of repeating it',
    ],
    ['REC-VER-01', 'MUST', 'a Receipt can be verified through the API, and the verdict is an Event'],
    ['REC-REF-01', 'MAY', 'Tasks, Outcomes, Events and Artifacts name their receipt'],
    ['REC-PER-01', 'MUST', 'the receipt policy of the Persona is enforced on every Task that names it'],
    ['REC-RED-01', 'MUST', 'what was redacted in a run is told in its receipt, with the hash of what it was'],
    ['REC-AUTH-01', 'MUST NOT', 'API keys or secrets show up in receipts'],
  ]),
  ...section('Privacy and redaction', [
    ['CORE-PRIV-01', 'MUST', 'public, internal and receipt-only content are told apart'],
    ['CORE-PRIV-02', 'MUST NOT', 'secrets and credentials appear in public parts or events'],
    ['CORE-PRIV-03', 'MUST', 'what is redacted leaves enough to see that it existed'],
  ]),
];
