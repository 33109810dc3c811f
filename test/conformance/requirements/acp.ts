import { type Requirement, section } from './requirement.ts';

/** What ACP v1 asks of both halves of the bridge, and what users of agents complain about. */
export const ACP: readonly Requirement[] = [
  ...section('ACP v1, Initialization', [
    [
      'ACP-INIT-01',
      'MUST',
      'the version that both speak is agreed on, and only what is served is advertised',
    ],
    ['ACP-INIT-02', 'MUST', 'nothing is answered before initialize'],
    ['ACP-INIT-03', 'MUST', 'what a client did not advertise is not asked of it'],
  ]),
  ...section('ACP v1, Session Setup', [
    ['ACP-SESS-01', 'MUST', 'a load tells the whole history, in order, before it is answered'],
    ['ACP-SESS-02', 'MUST', 'a resume tells nothing again'],
    ['ACP-SESS-07', 'DECIDED', 'a resume from a cursor behind retention says so, and tells what is kept'],
    ['ACP-SESS-03', 'MUST', 'a close ends the work and frees the session, which can be loaded again'],
    ['ACP-SESS-04', 'SHOULD', 'the deletion of an unknown session succeeds'],
    ['ACP-SESS-06', 'MUST', 'setting an option is answered with all of them, as they are now'],
    ['ACP-SESS-05', 'MUST', 'MCP servers are offered to an agent only where it takes them'],
  ]),
  ...section('ACP v1, Prompt Turn', [
    ['ACP-TURN-01', 'MUST', 'every update of a turn comes before its answer'],
    ['ACP-TURN-02', 'MUST', 'a cancelled turn is answered with cancelled'],
    ['ACP-TURN-03', 'MUST', 'requests that wait are answered with cancelled when their turn is'],
    ['ACP-TURN-04', 'MUST', 'an unknown stop reason is no success'],
  ]),
  ...section('ACP v1, Requesting Permission', [
    ['ACP-PERM-01', 'MUST', 'the option decides: whoever chose reject has rejected'],
    ['ACP-PERM-02', 'DECIDED', 'the first answer wins, wherever it comes from, and the others are told'],
    [
      'ACP-PERM-03',
      'DECIDED',
      'an answer for good is remembered as policy where the policy lets it, and by no agent',
    ],
  ]),
  ...section('ACP v1, File System and Terminals', [
    [
      'ACP-HOST-01',
      'MUST',
      'files and terminals of a client are used where it offers them, and recorded first',
    ],
    [
      'ACP-HOST-03',
      'DECIDED',
      'what the policy asks a permission for is not done at an editor’s machine before it is given',
    ],
    ['ACP-HOST-02', 'DECIDED', 'a machine serves the tasks of its own user and nobody else'],
  ]),
  ...section('ACP v1, Elicitation', [
    [
      'ACP-ELIC-01',
      'MUST',
      'a form of the agent is a form of the client, and its answer comes back as its fields',
    ],
    ['ACP-ELIC-02', 'MUST', 'a page to visit is an authorization, both ways'],
  ]),
  ...section('ACP v1, Extensibility', [
    ['ACP-EXT-01', 'MUST', 'unknown methods are refused as such'],
    ['ACP-EXT-02', 'MUST', 'updates of later versions are kept, and told to nobody who would fail on them'],
  ]),
  ...section('ACP v2 draft', [
    ['ACP-V2-01', 'MUST', 'the version is the highest that both sides speak'],
    ['ACP-V2-02', 'MUST', 'a prompt is answered when it is accepted; the state tells the end of its turn'],
    ['ACP-V2-03', 'MUST', 'every resume tells the state of the session after what it replays'],
  ]),
  ...section('what users of agents complain about', [
    ['ACP-USER-01', 'DECIDED', 'history is there after a restart'],
    ['ACP-USER-02', 'DECIDED', 'a cancel with a permission pending ends both'],
    ['ACP-USER-03', 'DECIDED', 'a late cancel does not hit the next prompt'],
    ['ACP-USER-04', 'DECIDED', 'a second prompt waits while the first one runs'],
    ['ACP-USER-05', 'DECIDED', 'an agent that waits for a person has no time limit of its own'],
    ['ACP-USER-06', 'DECIDED', 'an update after the answer breaks nothing'],
    ['ACP-USER-07', 'DECIDED', 'what is no message on standard output harms nobody'],
    ['ACP-USER-08', 'DECIDED', 'escape sequences before a message lose no message'],
    ['ACP-USER-09', 'DECIDED', 'nobody is left behind, also by a gateway that is killed'],
    ['ACP-USER-10', 'DECIDED', 'only a missing login is answered as one'],
    ['ACP-USER-11', 'DECIDED', 'a list of MCP servers that is missing is an empty one'],
    ['ACP-USER-12', 'DECIDED', 'an agent that starts slowly keeps no editor waiting'],
    ['ACP-USER-13', 'DECIDED', 'an id that comes back as a string is that id'],
    ['ACP-USER-14', 'DECIDED', 'an agent that died fails its turn and is started again'],
    ['ACP-USER-15', 'DECIDED', 'an agent that ignores SIGTERM is ended'],
    ['ACP-USER-17', 'DECIDED', 'a capability that is advertised has its method'],
    ['ACP-USER-18', 'DECIDED', 'a tool that was rejected is no refusal of the prompt'],
    ['ACP-USER-19', 'DECIDED', 'an agent that lost its session is told what was said, and that is said'],
    ['ACP-USER-20', 'DECIDED', 'a tool call without end ends with the patience of the operator'],
    [
      'ACP-USER-21',
      'DECIDED',
      'directories that an editor names are used where they may be, and said where not',
    ],
    [
      'ACP-USER-22',
      'DECIDED',
      'an update that names a terminal of somebody else loses the name and nothing else',
    ],
    ['ACP-USER-16', 'DECIDED', 'an update that readers of JSON disagree about is mended, not lost'],
    [
      'ACP-USER-23',
      'DECIDED',
      'a prompt that was cancelled before it was sent is not sent, and its session waits for the next one',
    ],
    ['ACP-USER-25', 'DECIDED', 'a message above the limit ends its connection, and no other one'],
    [
      'ACP-USER-26',
      'DECIDED',
      'an agent that advertises a way to take up its session and does not serve it is asked another way',
    ],
    [
      'ACP-USER-28',
      'DECIDED',
      'a large update reaches its client whole within one message, and none without what it must have',
    ],
    ['ACP-USER-27', 'DECIDED', "an agent's own session is never open in two connections"],
    ['ACP-USER-24', 'DECIDED', 'an option that the agent refuses falls back, and its reason is told'],
  ]),
];
