import type { JsonValue } from '#protocol/json.ts';
import type { MemoryDescription } from './schema.ts';

/** A Memory as a run was given it: what it said then, whatever becomes of it later. */
export interface GivenMemory {
  id: string;
  scope: MemoryDescription['scope'];
  content: JsonValue;
}

/** What a run was given to remember before its agent got anything. Recorded like what the agent says. */
export interface MemoryFrame {
  kind: 'memory';
  memory: GivenMemory;
}
