import type { Clean } from '#protocol/clean.ts';
import { type Folded, idKey, textList } from '#resources/states.ts';
import type { Workspace } from './schema.ts';

/** Keys of what is folded, and prefixes of its lists. */
export const workspaceKeys = {
  workspace: idKey('r/workspace/'),
  everyWorkspace: 'l/workspace/',
  workspaces: textList('l/workspace/'),
} as const;

export type WorkspaceState = Folded<Workspace, { tenant: string; members: string[] }>;

/** As they are read: what was folded of clean events is clean. */
export type CleanWorkspaceState = Clean<WorkspaceState>;
