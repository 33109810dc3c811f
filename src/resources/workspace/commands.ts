import type { Command, CommandInput, Handlers } from '#core/command.ts';
import { metadataOf, patchedMetadata } from '#core/decode-input.ts';
import type { Facts } from '#core/facts.ts';
import { loadWorkspace } from '#core/load.ts';
import { newEvent } from '#core/new-event.ts';
import { sha256Hex } from '#json/canonical.ts';
import { holdsScope } from '#policy/access.ts';
import { type Clean, type CleanObject, own } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { refuseUnknownQuota } from '#resources/quota/quota-usage.ts';
import { namesOfFile } from './file-path.ts';
import { getWorkspace, listWorkspaces, readWorkspaceFile } from './queries.ts';
import type { Workspace } from './schema.ts';

const createWorkspace: Command<'createWorkspace'> = {
  decide({ body }, tx, facts) {
    refuseSharedRoot(body.root, facts);
    const { image, packages, network_policy, sandbox_backend } = body;
    const asked = Object.entries({ image, packages, network_policy, sandbox_backend });
    const kept = Object.fromEntries(
      asked.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    const workspace: Clean<Workspace> = {
      id: facts.newId('workspace'),
      object: 'workspace',
      created_at: tx.time,
      updated_at: tx.time,
      metadata: { ...metadataOf(body), ...(Object.keys(kept).length > 0 ? { requested: kept } : {}) },
      name: body.name,
      root: body.root,
      default_branch_id: null,
      host: null,
      repository: null,
      tenant_id: facts.by.tenant,
      capabilities: [],
      connectors: [],
      quota_id: null,
    };
    const resource = { object: 'workspace', id: workspace.id };
    const members = [facts.by.actor];
    tx.append(
      newEvent(
        'vendor.harn_gateway.workspace_created',
        resource,
        { workspace_id: workspace.id },
        { workspace, members },
      ),
    );
    return { body: loadWorkspace(tx, facts.caller, workspace.id).resource };
  },
};

/** Configured directories have no tenant: whoever may put a workspace over one reads and writes all files in it. */
function refuseSharedRoot(root: string, { caller, isServedRoot }: Facts): void {
  if (holdsScope(caller, 'admin') || !isServedRoot(root)) return;
  throw new ProtocolError(
    'permission_denied',
    'The root lies under store.workspace_roots, whose files belong to no tenant: only the scope admin may open a workspace there. Use a harn:// root.',
    { param: 'root', details: { required_scope: 'admin' } },
  );
}

const updateWorkspace: Command<'updateWorkspace'> = {
  decide({ path, body }, tx, facts) {
    const { resource } = loadWorkspace(tx, facts.caller, path.workspace_id);
    const { name, capabilities, quota_id, metadata } = body;
    refuseUnknownQuota(tx, facts, quota_id);
    const changes: CleanObject = {
      ...(name === undefined ? {} : { name }),
      ...(capabilities === undefined ? {} : { capabilities }),
      ...(quota_id === undefined ? {} : { quota_id }),
      ...(metadata === undefined
        ? {}
        : { metadata: patchedMetadata(resource.metadata, metadata, facts.limits) }),
    };
    if (Object.keys(changes).length > 0) {
      const pointer = { object: 'workspace', id: resource.id };
      tx.append(
        newEvent(
          'vendor.harn_gateway.workspace_updated',
          pointer,
          { workspace_id: resource.id },
          { changes },
        ),
      );
    }
    return { body: loadWorkspace(tx, facts.caller, path.workspace_id).resource };
  },
};

/**
 * The file is durable before its event. A crash in between leaves a file without an event; sending the same request again
 * records it. The content is never in the log.
 */
const writeWorkspaceFile: Command<'writeWorkspaceFile'> = {
  mutexKey: ({ workspace_id }) => `files/${workspace_id}`,
  decide(input, tx, facts) {
    const { id, root } = loadWorkspace(tx, facts.caller, input.path.workspace_id).resource;
    const { names, bytes } = fileOf(input);
    if (bytes.length > facts.limits.fileBytes) throw tooLarge(facts.limits.fileBytes);
    return { effect: { kind: 'write_file', root: { id, root }, names, bytes } };
  },
  conclude(input, tx, facts) {
    const { id } = loadWorkspace(tx, facts.caller, input.path.workspace_id).resource;
    const { path, bytes } = fileOf(input);
    const metadata = metadataOf(input.body);
    const cleanPath = facts.redact(path).value;
    const payload = { path: cleanPath, bytes: bytes.length, sha256: own(sha256Hex(bytes)), metadata };
    const pointer = { object: 'workspace', id };
    const place = { workspace_id: id };
    const event = tx.append(newEvent('vendor.harn_gateway.file_written', pointer, place, payload));
    // As the log has it: the answer may be kept under an idempotency key.
    const { metadata: _, ...written } = event.payload;
    return { body: { object: 'file', ...place, encoding: 'utf-8', ...written } };
  },
};

/** The path of the body goes before that of the query. */
function fileOf({ asked, sent }: CommandInput<'writeWorkspaceFile'>) {
  const names = namesOfFile(sent.path ?? asked.path);
  return { names, path: names.join('/'), bytes: Buffer.from(sent.content) };
}

function tooLarge(limit: number): ProtocolError {
  return new ProtocolError(
    'payload_too_large',
    `The content is larger than ${limit} bytes. Use an artifact.`,
    {
      param: 'content',
      details: { limit_bytes: limit },
    },
  );
}

export const handlers = {
  createWorkspace,
  updateWorkspace,
  writeWorkspaceFile,
  getWorkspace,
  listWorkspaces,
  readWorkspaceFile,
} satisfies Partial<Handlers>;
