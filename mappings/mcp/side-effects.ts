import { TOOL_SIDE_EFFECTS, type ToolSideEffect } from '#protocol/autonomy.ts';
import type { JsonValue } from '#protocol/json.ts';

export { TOOL_SIDE_EFFECTS as SIDE_EFFECTS, type ToolSideEffect as SideEffect };

export interface Hints {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/** Hints that are not given. Spec: MCP 2025-11-25, ToolAnnotations. */
const ABSENT: Hints = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

/** The class of each combination; of an untrusted server every tool is the worst. */
export function sideEffectOf(annotations: JsonValue | undefined, isTrusted: boolean): ToolSideEffect {
  if (!isTrusted) return 'destructive';
  const hints = hintsOf(annotations);
  if (hints.readOnlyHint) return hints.openWorldHint ? 'read_external' : 'read';
  if (hints.destructiveHint) return 'destructive';
  return hints.idempotentHint ? 'write_idempotent' : 'write';
}

/** The hints that say a class; reading them back gives the class again. */
export const HINTS_OF = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  read_external: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  write_idempotent: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: true,
  },
  write: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  destructive: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
} as const satisfies Record<ToolSideEffect, Hints>;

/** Whether a trusted server says anything of what the tool does; the class is the worst one for want of a word otherwise. */
export function isDeclared(annotations: JsonValue | undefined, isTrusted: boolean): boolean {
  if (!isTrusted) return true;
  return HINT_NAMES.some((name) => typeof memberOf(annotations, name) === 'boolean');
}

const HINT_NAMES = Object.keys(ABSENT) as (keyof Hints)[];

function memberOf(annotations: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof annotations !== 'object' || annotations === null || Array.isArray(annotations)) return undefined;
  return annotations[name];
}

function hintsOf(annotations: JsonValue | undefined): Hints {
  const hint = (name: keyof Hints) => {
    const given = memberOf(annotations, name);
    return typeof given === 'boolean' ? given : ABSENT[name];
  };
  return {
    readOnlyHint: hint('readOnlyHint'),
    destructiveHint: hint('destructiveHint'),
    idempotentHint: hint('idempotentHint'),
    openWorldHint: hint('openWorldHint'),
  };
}
