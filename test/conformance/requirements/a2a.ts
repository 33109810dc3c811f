import { type Requirement, section } from './requirement.ts';

/** What the A2A specification asks of a server. */
export const A2A: readonly Requirement[] = [
  ...section('A2A 1.0, 3 Operations', [
    [
      'A2A-OP-01',
      'MUST',
      'a send answers with a Task or a Message, and waits for a settled state by default',
    ],
    ['A2A-OP-02', 'MUST', 'returnImmediately answers with the accepted Task'],
    ['A2A-OP-03', 'MUST', 'the first event of a stream is the Task, or the one Message'],
    [
      'A2A-OP-04',
      'MUST',
      'every stream of a Task tells the same events in the same order, and ends after its end',
    ],
    ['A2A-OP-05', 'MUST', 'an unknown Task is TaskNotFound, for strangers too'],
    ['A2A-OP-06', 'MUST', 'a message to a Task that is over is refused'],
    ['A2A-OP-07', 'MUST', 'a Task that is over cannot be canceled and not be subscribed to'],
    [
      'A2A-OP-08',
      'MUST',
      'lists: newest status first, page sizes 1 to 100, token empty on the last page, artifacts on demand',
    ],
    [
      'A2A-OP-09',
      'MUST',
      'a context id of the client is kept, and another context than the one of the Task is refused',
    ],
    ['A2A-OP-10', 'MUST', 'historyLength 0 leaves the history out, n gives the newest n'],
    [
      'A2A-OP-11',
      'MUST',
      'push configs are made, read, listed and deleted, with no secret in an answer; unknown and foreign ones are alike',
    ],
    ['A2A-OP-12', 'MUST', 'the extended card is for authenticated callers'],
    ['A2A-OP-13', 'MUST', 'a subscription begins with the Task as it is'],
    [
      'A2A-OP-14',
      'MUST',
      'a stream ends where the Task asks for input, and stays open where somebody must sign in',
    ],
    ['A2A-OP-15', 'MUST', 'a message that names its Task alone is in the context of the Task'],
    ['A2A-OP-16', 'MUST', 'ids of Tasks are made by the server'],
  ]),
  ...section('A2A 1.0, 3.6 and 14 Versions, extensions', [
    ['A2A-VER-01', 'MUST', 'no A2A-Version means 0.3; the patch number says nothing'],
    ['A2A-VER-02', 'MUST', 'an unknown version is VersionNotSupported'],
    ['A2A-VER-03', 'MAY', 'the version may be a parameter of the query'],
    ['A2A-EXT-01', 'SHOULD', 'the extensions that are used are told in the answer'],
  ]),
  ...section('A2A 1.0, 4.3 and 13.2 Push notifications', [
    [
      'A2A-PUSH-01',
      'MUST',
      'each change of the Task is posted as a stream event, in 0.3 as the Task; a config that may not be refuses the message with it',
    ],
    ['A2A-PUSH-02', 'MUST', 'posts carry the token and the authentication that the config names'],
    ['A2A-PUSH-03', 'MUST', 'URLs of receivers are checked against private addresses'],
    [
      'A2A-PUSH-04',
      'SHOULD',
      'a receiver takes what comes often, and believes none of what anybody could send',
    ],
  ]),
  ...section('A2A 1.0, 5.4, 9 and 11 Errors and bindings', [
    ['A2A-ERR-01', 'MUST', 'broken envelopes, unknown methods and bad params have their JSON-RPC codes'],
    ['A2A-ERR-02', 'MUST', 'missing required members are InvalidParams and are named'],
    ['A2A-ERR-03', 'MUST', 'errors of A2A carry ErrorInfo with their reason and the domain of A2A'],
    ['A2A-ERR-04', 'MUST', 'HTTP+JSON answers with the status of the error and a google.rpc.Status'],
    [
      'A2A-SEC-01',
      'MUST',
      'a caller without credentials gets 401 and WWW-Authenticate, before anything is read',
    ],
    [
      'A2A-ERR-05',
      'MUST',
      'the errors of A2A have the same meaning over both bindings: code, status, reason',
    ],
    ['A2A-ERR-06', 'MUST', 'a notification, a request without an id, gets no answer'],
    ['A2A-SEC-02', 'MUST', 'lists and reads are bounded to what the caller may see'],
    ['A2A-BND-02', 'MUST', 'JSON-RPC wraps each event of a stream in an answer, HTTP+JSON sends it bare'],
    ['A2A-BND-03', 'MUST', 'members are camelCase, enumerations are names, times are UTC with milliseconds'],
    ['A2A-BND-04', 'SHOULD', 'unknown members are ignored'],
    [
      'A2A-BND-06',
      'MUST',
      'members are read by their JSON names and by those of the protocol file, never by both',
    ],
    ['A2A-BND-05', 'MUST', 'HTTP+JSON is application/a2a+json'],
    ['A2A-BND-01', 'MUST', 'both bindings of 1.0 and JSON-RPC of 0.3 answer the same'],
  ]),
  ...section('A2A 0.3, 3.2, 5 and 8 HTTP+JSON and gRPC', [
    ['A2A-03-01', 'MUST', 'POST /v1/message:send takes and answers the JSON form of the protocol file'],
    ['A2A-03-02', 'MUST', 'POST /v1/message:stream sends bare events, chunks say whether they are appended'],
    ['A2A-03-03', 'MUST', 'tasks are read, followed and canceled at their paths below /v1'],
    ['A2A-03-04', 'MUST', 'errors are those of JSON-RPC, bare, with a status of HTTP'],
    ['A2A-03-05', 'MUST', 'push configs are set, read, listed and deleted below their task, by name'],
    ['A2A-03-06', 'MUST', 'GET /v1/card gives callers the card'],
    ['A2A-03-07', 'MUST', 'the service a2a.v1.A2AService has every method, with tasks by name'],
    ['A2A-03-08', 'MUST', 'SendStreamingMessage and TaskSubscription stream events of the protocol file'],
    ['A2A-03-09', 'MUST', 'what is wrong with a call is said by its status and its details'],
  ]),
  ...section('A2A 1.0, 10 gRPC', [
    ['A2A-GRPC-01', 'MUST', 'the service lf.a2a.v1.A2AService has every method of the protocol file'],
    ['A2A-GRPC-02', 'MUST', 'the version and the extensions are metadata, and a wrong version is refused'],
    [
      'A2A-GRPC-03',
      'MUST',
      'errors are a google.rpc.Status with ErrorInfo, and BadRequest where fields are named',
    ],
    ['A2A-GRPC-04', 'MUST', 'streams are server streaming, and end with their task'],
    ['A2A-GRPC-05', 'MUST', 'credentials are metadata, and a call without one is UNAUTHENTICATED'],
    ['A2A-GRPC-06', 'MUST', 'the card lists gRPC where it is served, and nothing else'],
  ]),
  ...section('A2A 1.0, 4.4 and 8 The agent card', [
    ['A2A-CARD-01', 'MUST', 'the card has its required members, and can be cached'],
    ['A2A-CARD-02', 'MUST', 'the card names the interfaces that are served, in order of preference'],
    ['A2A-CARD-03', 'MAY', 'the card is signed, by a key that its readers can have'],
  ]),
];
