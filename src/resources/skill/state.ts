import type { Clean } from '#protocol/clean.ts';
import type { JsonObject } from '#protocol/json.ts';
import { foreign } from '#resources/states.ts';

/** Keys of what is folded, and prefixes of its lists. */
export const skillKeys = {
  toolDefinition: (route: string, tool: string) => `x/td/${foreign(route)}/${foreign(tool)}`,
} as const;

/** What a tool of an upstream is held to, and what it was last listed as. */
export interface ToolDefinitionState {
  pinned_sha256: string;
  seen_sha256: string;
  /** The pinned definition as it may be shown; absent where it was too long, or recorded before it was kept. */
  pinned?: JsonObject;
}

/** As they are read: what was folded of clean events is clean. */
export type CleanToolDefinitionState = Clean<ToolDefinitionState>;
