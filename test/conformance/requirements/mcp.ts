import { type Requirement, section } from './requirement.ts';

/** What MCP servers and clients of either era get from the gateway. */
export const MCP: readonly Requirement[] = [
  ...section('MCP upstream', [
    ['MCP-UP-1', 'DECIDED', 'every tool of a server is a Skill that runs as a Task'],
    ['MCP-UP-2', 'DECIDED', 'arguments that do not fit are refused at submit, with the path of the member'],
    ['MCP-UP-3', 'DECIDED', 'patterns of schemas of a server run in linear time on what callers send'],
    ['MCP-UP-4', 'DECIDED', 'a server is reached over its standard streams and over Streamable HTTP'],
    ['MCP-UP-5', 'DECIDED', 'starting and stopping a server leaves no process and no descriptor'],
    ['MCP-UP-6', 'DECIDED', 'a server gets a model only where its operator says so, and from the caller'],
    ['MCP-UP-7', 'MUST', 'the revision of a server is found out by asking it, or is the configured one'],
    ['MCP-UP-8', 'DECIDED', 'what a result without a session asks for is carried by the Task, for any face'],
    ['MCP-UP-9', 'DECIDED', 'a task of a server is followed, asked and canceled by the Task in front of it'],
    ['MCP-UP-10', 'DECIDED', 'what a server goes on with, or asks by a round, outlives the gateway'],
    [
      'MCP-UP-11',
      'MUST NOT',
      'a tool is used whose headers for arguments are not as the revision wants them',
    ],
    [
      'MCP-UP-12',
      'DECIDED',
      'pages that a server wants opened first are asked for, and the same call is sent again',
    ],
    [
      'MCP-UP-13',
      'DECIDED',
      'a result is kept as it is; an error in it, or a misfit, is what the operator wants it to be',
    ],
    ['MCP-UP-14', 'MUST NOT', 'a form of a server asks for a secret'],
    [
      'MCP-UP-15',
      'DECIDED',
      'a server asks on a connection of one actor and Session, and the call that uses it',
    ],
    ['MCP-WIRE-1', 'DECIDED', 'what was recorded of a server means today what it meant then'],
  ]),
  ...section('MCP face', [
    ['MCP-FACE-1', 'DECIDED', 'every tool that a server lists is called through /mcp with the same result'],
    ['MCP-FACE-2', 'MUST', 'a session belongs to the actor that opened it'],
    ['MCP-FACE-3', 'MUST', 'without a credential: 401 that names the protected-resource metadata'],
    ['MCP-FACE-4', 'MUST', 'a foreign Origin is refused'],
    ['MCP-FACE-5', 'MUST', 'lists come in pages'],
    ['MCP-FACE-6', 'DECIDED', 'what a caller may not have run is neither listed nor known by name'],
    ['MCP-FACE-7', 'DECIDED', 'what a client missed of a call is told from the log, also after a restart'],
    [
      'MCP-FACE-8',
      'DECIDED',
      'a changed list is told to a stream that resumes, whatever became of the one before',
    ],
    ['MCP-FACE-9', 'DECIDED', 'a call that is sent again with its idempotency key is the same Task'],
    ['MCP-FACE-10', 'MUST', 'a body that is no JSON is -32700, and one that is no message -32600'],
    ['MCP-MOUNT-1', 'DECIDED', '/mcp/{server} passes a server of either era through, without what is closed'],
    ['MCP-MOUNT-2', 'MUST NOT', 'credentials of a client are handed on to a server'],
    [
      'MCP-MOUNT-3',
      'DECIDED',
      'the Workspace of the caller holds on /mcp/{server}, as it is now and for each key',
    ],
    ['MCP-MOUNT-4', 'DECIDED', 'on /mcp/{server} a held definition is refused until it is accepted'],
    [
      'MCP-MOUNT-5',
      'DECIDED',
      '/mcp/{server} is the server to clients of either era, whichever era is its own',
    ],
    [
      'MCP-MOUNT-6',
      'DECIDED',
      'what a server asks reaches clients of the other era in the form of their own',
    ],
    [
      'MCP-MOUNT-7',
      'DECIDED',
      'what waits for a client without a session is its own, by a state that counts once',
    ],
    [
      'MCP-MOUNT-8',
      'DECIDED',
      'what a server runs only as a task of its era is a result to clients of the other',
    ],
    [
      'MCP-MOUNT-9',
      'DECIDED',
      'no caller without a session holds all connections by what it does not answer',
    ],
  ]),
  ...section('MCP tasks', [
    ['MCP-TASK-1', 'DECIDED', 'states of tasks go there and back, or the row says what is lost'],
    ['MCP-TASK-2', 'DECIDED', 'an unknown state is never a success'],
    ['MCP-TASK-3', 'MUST', 'a task is durable before its id is told, and its id is that of the Harn Task'],
    ['MCP-TASK-4', 'MUST', 'input_required tells what is asked; tasks/update answers it, and ignores strays'],
    ['MCP-TASK-5', 'MUST', 'tasks/cancel acknowledges, also for a task that is over'],
    ['MCP-TASK-6', 'DECIDED', 'a call that waits for a permission is a task that is working'],
    ['MCP-TASK-7', 'MUST', 'a failure of the protocol is `failed` with an error and without a result'],
    ['MCP-TASK-8', 'MUST', 'a client that does not declare the extension gets no task, and -32021'],
    ['MCP-TASK-9', 'MUST', 'an unknown task is -32602, and who may not read Tasks is told nothing'],
  ]),
];
