import type { HoldReason, ToolSideEffect } from './autonomy.ts';
import type { JsonObject } from './json.ts';

/** What the policy judges of a tool. */
export interface JudgedTool {
  sideEffect: ToolSideEffect;
  /** False: the class is the worst one, because a trusted server says nothing of the tool. */
  isDeclared: boolean;
  /** Why its calls wait for a permission whatever the tier. */
  hold?: HoldReason;
}

/** A tool call before it is made. */
export interface IntendedCall extends JudgedTool {
  /** Unique per task. */
  toolCallId: string;
  name: string;
  server: string;
  input: JsonObject;
  /** SHA-256 of the definition the call would be made by. */
  definitionSha256: string;
}

/** What a Skill says more, when it is a tool of a server. */
export interface DescribedTool {
  inputSchema: JsonObject;
  outputSchema: JsonObject | null;
  /** `sha256:` over the RFC 8785 form of the definition as the server sent it. */
  definitionSha256: string;
  /** Calls wait for a person's permission whatever the tier. */
  requiresApproval: boolean;
  /** Left out by servers whose tools all count as destructive. */
  judged?: JudgedTool;
  /** The server listed it once and does so no longer. */
  deprecated: boolean;
  /** Title, annotations and what else the server says of it. */
  metadata: JsonObject;
}
