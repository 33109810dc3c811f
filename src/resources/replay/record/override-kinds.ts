import type { OverrideKind } from '../schema.ts';

/** What an override of a kind does, and which keys it may have. Source: Harn replay contract, "Override keys". */
export interface OverrideKindRow {
  /** `substitute`: it takes the place of a recorded frame. `delta`: it is recorded, and changes nothing that is replayed. */
  effect: 'substitute' | 'delta';
  /** The form of its keys, for a refusal. */
  form: string;
  key: RegExp;
}

export const OVERRIDE_KIND_ROWS = {
  llm_provider_response: { effect: 'substitute', form: 'llm:, a2a: or acp:', key: /^(llm|a2a|acp):/ },
  mcp_tool_return: { effect: 'substitute', form: 'mcp:', key: /^mcp:/ },
  tool_result: { effect: 'substitute', form: 'mcp:, acp: or host:', key: /^(mcp|acp|host):/ },
  host_fact: { effect: 'substitute', form: 'host:', key: /^host:/ },
  secret_value: { effect: 'delta', form: 'secret:<name>', key: /^secret:[!-~]{1,200}$/ },
  time: {
    effect: 'delta',
    form: 'time:<created_at, started_at, completed_at or canceled_at>',
    key: /^time:/,
  },
  event_payload: { effect: 'delta', form: 'event:<id of an event of the task>', key: /^event:\d{20}$/ },
  checkpoint_value: {
    effect: 'delta',
    form: 'checkpoint:<checkpoint_id of the task>',
    key: /^checkpoint:[!-~]+$/,
  },
} as const satisfies Record<OverrideKind, OverrideKindRow>;

/** Clock reads of a Task that a `time` override may name. */
export const CLOCK_READS = ['created_at', 'started_at', 'completed_at', 'canceled_at'] as const;
