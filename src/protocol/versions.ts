import { ProtocolError } from './errors.ts';

/** Source: Agents Protocol v1, "Versioning". */
export const PROTOCOL_FAMILY = 'harn_agents_protocol';
export const VERSION_HEADER = 'Harn-Agents-Protocol-Version';

/** Oldest first. */
export const SUPPORTED_VERSIONS = ['agents-protocol-2026-04-25', 'agents-protocol-2026-10-11'] as const;
export type VersionId = (typeof SUPPORTED_VERSIONS)[number];

/** What is signed names this version, whichever the request was in: receipts verify the same for everybody. */
export const SIGNED_VERSION: VersionId = 'agents-protocol-2026-04-25';
/** Version of documents for a reader that names none, unless `server.default_protocol_version` says otherwise. */
export const DEFAULT_VERSION: VersionId = 'agents-protocol-2026-04-25';

/** In what the versions differ. Resources and events have one form in all of them. */
export interface ProtocolVersion {
  readonly id: VersionId;
  /** WebSocket subprotocol that stands for the version header, which browsers cannot send. */
  readonly subprotocol: string;
  /**
   * Which operations take an Idempotency-Key. `commands`: all that change something; each path is a target of its own, and a
   * retry gets the first answer again. `task_create`: the two that create a Task, which are one target; a retry gets 200 and the
   * Task as it is now, and every other operation refuses the header.
   */
  readonly idempotency: 'commands' | 'task_create';
  /** By operation: members of its body for which fewer words are allowed than the schema has. */
  readonly words: Readonly<Record<string, readonly AllowedWords[]>>;
  /** Whether a message of kind `input` also goes to the agent of a Task that asked for nothing and works. */
  readonly inputSteers: boolean;
  /** What `object` of the agent card says to a client that sends the version header; see src/cards/README.md. */
  readonly cardObject: 'agent_card' | 'harn_agent_card';
}

interface AllowedWords {
  readonly member: string;
  readonly words: readonly string[];
  /** What to do instead of sending another word. */
  readonly advice: string;
}

const ROWS: readonly ProtocolVersion[] = [
  {
    id: 'agents-protocol-2026-04-25',
    subprotocol: 'harn.v1',
    idempotency: 'commands',
    words: {},
    inputSteers: false,
    cardObject: 'agent_card',
  },
  {
    id: 'agents-protocol-2026-10-11',
    subprotocol: 'harn.v1.2026-10-11',
    idempotency: 'task_create',
    words: {
      appendTaskMessage: [
        {
          member: 'kind',
          words: ['input'],
          advice:
            'Steer a working Task with kind input, cancel it at /v1/tasks/{task_id}/cancel, and confirm a tool call at /v1/permission-requests/{permission_request_id}/respond',
        },
      ],
    },
    inputSteers: true,
    cardObject: 'harn_agent_card',
  },
];

export const VERSIONS: ReadonlyMap<string, ProtocolVersion> = new Map(ROWS.map((row) => [row.id, row]));

/** The version of that id, which is one of the supported ones. */
export function versionOf(id: VersionId): ProtocolVersion {
  const row = VERSIONS.get(id);
  if (row === undefined) throw new Error(`no row for ${id}`);
  return row;
}

/** Throws `invalid_request` for an Idempotency-Key on what takes none in this version; undefined: no version was named. */
export function refuseKey(version: ProtocolVersion | undefined, key: string | string[] | undefined): void {
  if (key === undefined || version?.idempotency !== 'task_create') return;
  const message = `In ${version.id} only the operations that create a Task take an Idempotency-Key. Leave it out.`;
  throw new ProtocolError('invalid_request', message, {
    param: 'Idempotency-Key',
    details: { reason: 'idempotency_not_supported' },
  });
}

/** What holds for calls of surfaces that negotiate otherwise: the widest rules. */
export const UNVERSIONED: ProtocolVersion = versionOf('agents-protocol-2026-04-25');
