import type { z } from 'zod';
import type { SpooledBytes } from '#protocol/bytes.ts';
import type { OperationRow } from '#protocol/operation-row.ts';
import { agentsOperations } from './agent/operations.ts';
import { apiKeysOperations } from './api-key/operations.ts';
import { artifactsOperations } from './artifact/operations.ts';
import { branchesOperations } from './branch/operations.ts';
import { bundlesOperations } from './bundle/operations.ts';
import { connectorsOperations } from './connector/operations.ts';
import { discoveryOperations } from './discovery/operations.ts';
import { eventsOperations } from './event/operations.ts';
import { memoriesOperations } from './memory/operations.ts';
import { messagesOperations } from './message/operations.ts';
import { outcomesOperations } from './outcome/operations.ts';
import { permissionRequestsOperations } from './permission/operations.ts';
import { personasOperations } from './persona/operations.ts';
import { policyOperations } from './policy/operations.ts';
import { deadLettersOperations, pushConfigsOperations } from './push/operations.ts';
import { quotasOperations } from './quota/operations.ts';
import {
  receiptLogOperations,
  receiptsOperations,
  receiptVerificationOperations,
  signingKeysOperations,
} from './receipt/operations.ts';
import { runtimeOperations } from './runtime/operations.ts';
import { sessionsOperations } from './session/operations.ts';
import { skillsOperations } from './skill/operations.ts';
import { tasksOperations } from './task/operations.ts';
import { trustRecordsOperations } from './trust/operations.ts';
import { vaultsOperations } from './vault/operations.ts';
import { workspacesOperations } from './workspace/operations.ts';

export type { OperationRow } from '#protocol/operation-row.ts';

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
