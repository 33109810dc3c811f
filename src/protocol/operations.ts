import type { z } from 'zod';
import type { SpooledBytes } from './bytes.ts';
import { agentsOperations } from './operations/agents.ts';
import { apiKeysOperations } from './operations/api-keys.ts';
import { artifactsOperations } from './operations/artifacts.ts';
import { branchesOperations } from './operations/branches.ts';
import { bundlesOperations } from './operations/bundles.ts';
import { connectorsOperations } from './operations/connectors.ts';
import { deadLettersOperations } from './operations/dead-letters.ts';
import { discoveryOperations } from './operations/discovery.ts';
import { eventsOperations } from './operations/events.ts';
import { memoriesOperations } from './operations/memories.ts';
import { messagesOperations } from './operations/messages.ts';
import { outcomesOperations } from './operations/outcomes.ts';
import { permissionRequestsOperations } from './operations/permission-requests.ts';
import { personasOperations } from './operations/personas.ts';
import { policyOperations } from './operations/policy.ts';
import { pushConfigsOperations } from './operations/push-configs.ts';
import { quotasOperations } from './operations/quotas.ts';
import { receiptLogOperations } from './operations/receipt-log.ts';
import { receiptVerificationOperations } from './operations/receipt-verification.ts';
import { receiptsOperations } from './operations/receipts.ts';
import type { OperationRow } from './operations/row.ts';
import { runtimeOperations } from './operations/runtime.ts';
import { sessionsOperations } from './operations/sessions.ts';
import { signingKeysOperations } from './operations/signing-keys.ts';
import { skillsOperations } from './operations/skills.ts';
import { tasksOperations } from './operations/tasks.ts';
import { trustRecordsOperations } from './operations/trust-records.ts';
import { vaultsOperations } from './operations/vaults.ts';
import { workspacesOperations } from './operations/workspaces.ts';

export type { OperationRow } from './operations/row.ts';

/** Every operation of the gateway; the groups are files of one collection each. */
const rows = {
  ...discoveryOperations,
  ...workspacesOperations,
  ...sessionsOperations,
  ...branchesOperations,
  ...messagesOperations,
  ...tasksOperations,
  ...permissionRequestsOperations,
  ...eventsOperations,
  ...artifactsOperations,
  ...outcomesOperations,
  ...receiptsOperations,
  ...receiptLogOperations,
  ...receiptVerificationOperations,
  ...memoriesOperations,
  ...personasOperations,
  ...vaultsOperations,
  ...quotasOperations,
  ...apiKeysOperations,
  ...connectorsOperations,
  ...pushConfigsOperations,
  ...deadLettersOperations,
  ...agentsOperations,
  ...skillsOperations,
  ...runtimeOperations,
  ...signingKeysOperations,
  ...policyOperations,
  ...trustRecordsOperations,
  ...bundlesOperations,
} as const satisfies Record<string, OperationRow>;

export const OPERATIONS = rows;
export type OperationId = keyof typeof rows;
export type IdsOfKind<Kind extends OperationRow['kind']> = {
  [Id in OperationId]: (typeof rows)[Id]['kind'] extends Kind ? Id : never;
}[OperationId];
export type CommandId = IdsOfKind<'command'>;
export type QueryId = IdsOfKind<'query'>;
export type StreamId = IdsOfKind<'stream'>;
export type DocumentId = IdsOfKind<'document'>;

type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never;

/** What a decoded call of an operation holds. */
export interface OperationInput<Id extends OperationId> {
  path: Record<ParamNames<(typeof rows)[Id]['path']>, string>;
  query: (typeof rows)[Id] extends { query: infer Query extends z.ZodObject }
    ? z.infer<Query>
    : Record<never, never>;
  body: (typeof rows)[Id] extends { body: infer Body }
    ? Body extends z.ZodType
      ? (typeof rows)[Id] extends { bodyRequired: false }
        ? z.infer<Body> | undefined
        : z.infer<Body>
      : Body extends 'spooled'
        ? SpooledBody
        : RawBody
    : undefined;
}

/** A raw body with its declared media type. */
export interface RawBody {
  bytes: Buffer;
  mimeType: string;
  /** Headers of the request by lower-case name; only where the operation is signed by its sender. */
  headers?: Readonly<Record<string, string>>;
}

/** A raw body that lies in a file as long as the call goes on. */
export interface SpooledBody {
  spooled: SpooledBytes;
}

export function operation(id: OperationId): OperationRow {
  return rows[id];
}
