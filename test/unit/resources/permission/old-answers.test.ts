import { describe, expect, it } from 'vitest';
import type { Event, StateWriter } from '#eventlog/event-log.ts';
import { folds } from '#resources/permission/fold.ts';
import { rememberedRule, ruleOf } from '#resources/permission/remembered-permission.ts';
import { permissionKeys } from '#resources/permission/state.ts';
import { taskKeys } from '#resources/task/state.ts';

/** What an event of an earlier build says, which knew of no rules. */
const REMEMBERED = {
  request_id: 'permission_request_01M84J5G5K7D65VRCE0KT1VMTS',
  approved: true,
  owner: 'session_1',
  actor: 'ada',
  route: 'acp:coder',
  subject_sha256: 'abc',
};

describe('answers that were remembered before there were rules', () => {
  const states = new Map<string, object>();
  const indexed = new Set<string>();
  const writer = {
    get: (key: string) => states.get(key),
    set: (key: string, state: object | undefined) =>
      void (state === undefined ? states.delete(key) : states.set(key, state)),
    index: (key: string) => void indexed.add(key),
    unindex: (key: string) => void indexed.delete(key),
  } as unknown as StateWriter;
  const fold = (kind: 'permission_remembered' | 'permission_forgotten', payload: object) => {
    const event = { workspace_id: 'workspace_1', payload } as unknown as Event;
    for (const each of folds[`vendor.harn_gateway.${kind}`] ?? []) each(event, writer);
  };

  it('fold to the rows that they had, are listed as rules, and are forgotten', () => {
    const id = REMEMBERED.request_id;
    const response = { approved: true, reviewer: 'somebody', responded_at: '2026-11-21T09:00:00.000Z' };
    const resource = { id, task_id: 'task_1', session_id: 'session_1', action: 'Write [a]', response };
    states.set(permissionKeys.permissionRequest(id), { resource, internal: {} });
    states.set(taskKeys.task('task_1'), { resource: { created_by: 'ada' }, internal: {} });
    fold('permission_remembered', REMEMBERED);
    const { owner, actor, route, subject_sha256 } = REMEMBERED;
    const about = { actor, route, subject_sha256 };
    const key = permissionKeys.rememberedPermission(owner, about);
    expect(states.get(key)).toEqual({ request_id: id, approved: true });
    expect(states.get(permissionKeys.rememberedRequest(id))).toEqual({
      resource: { id, workspace_id: 'workspace_1' },
      internal: { key },
    });
    const rule = ruleOf(writer, id, 'tenant_1');
    expect(rule).toEqual({
      id: 'rule_01M84J5G5K7D65VRCE0KT1VMTS',
      tenant_id: 'tenant_1',
      scope: 'session',
      scope_value: 'session_1',
      class: 'custom',
      action_pattern: 'Write [[]a[]]',
      target_pattern: 'Write [[]a[]]',
      allow: true,
      reason: null,
      created_at: response.responded_at,
      created_by: 'ada',
      expires_at: null,
      revoked_at: null,
      actor: null,
      request_id: id,
    });
    expect(rememberedRule(writer, { owner, about, tenant: 'tenant_1' })).toEqual(rule);
    fold('permission_forgotten', { request_id: id });
    expect(ruleOf(writer, id, 'tenant_1')).toBeUndefined();
    expect([...indexed]).toEqual([]);
  });
});
