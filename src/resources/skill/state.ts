import type { Clean } from '#protocol/clean.ts';
import { foreign } from '#resources/states.ts';

/** Keys of what is folded, and prefixes of its lists. */
export const skillKeys = {
  toolDefinition: (route: string, tool: string) => `x/td/${foreign(route)}/${foreign(tool)}`,
} as const;

/** What a tool of an upstream is held to, and what it was last listed as. */
export interface ToolDefinitionState {
  pinned_sha256: string;
  seen_sha256: string;
}

/** As they are read: what was folded of clean events is clean. */
export type CleanToolDefinitionState = Clean<ToolDefinitionState>;
