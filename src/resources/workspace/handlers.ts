import type { Handlers } from '#core/handlers.ts';
import { createWorkspace } from './createWorkspace.ts';
import { readWorkspaceFile } from './file-queries.ts';
import { getWorkspace, listWorkspaces } from './queries.ts';
import { updateWorkspace } from './updateWorkspace.ts';
import { writeWorkspaceFile } from './writeWorkspaceFile.ts';

export const workspaceHandlers = {
  createWorkspace,
  updateWorkspace,
  writeWorkspaceFile,
  getWorkspace,
  listWorkspaces,
  readWorkspaceFile,
} satisfies Partial<Handlers>;
