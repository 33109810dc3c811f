import type { JsonObject, JsonValue } from '../../src/protocol/json.ts';

/**
 * What a tool may do, mildest first: read; read beyond the gateway's own reach; write so that a repetition changes
 * nothing; write; write what cannot be undone.
 */
export const SIDE_EFFECTS = ['read', 'read_external', 'write_idempotent', 'write', 'destructive'] as const;
export type SideEffect = (typeof SIDE_EFFECTS)[number];

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
export function sideEffectOf(annotations: JsonValue | undefined, isTrusted: boolean): SideEffect {
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
} as const satisfies Record<SideEffect, Hints>;

function hintsOf(annotations: JsonValue | undefined): Hints {
  const given: JsonObject =
    typeof annotations === 'object' && annotations !== null && !Array.isArray(annotations) ? annotations : {};
  const hint = (name: keyof Hints) =>
    typeof given[name] === 'boolean' ? (given[name] as boolean) : ABSENT[name];
  return {
    readOnlyHint: hint('readOnlyHint'),
    destructiveHint: hint('destructiveHint'),
    idempotentHint: hint('idempotentHint'),
    openWorldHint: hint('openWorldHint'),
  };
}
