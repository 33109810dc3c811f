import { describe, expect, it } from 'vitest';
import { onlyFault } from './config-harness.ts';

describe('quotas in the configuration', () => {
  it.each([
    [
      'quotas: [{id: q, scope: tenant, owner: nobody, limits: {queued_tasks: 1}}]',
      'quotas[0].owner: names no',
    ],
    ['quotas: [{id: q, scope: tenant, limits: {queued_tasks: 1}}]', 'quotas[0].owner: is required'],
    [
      'quotas: [{id: q, scope: organization, owner: x, limits: {queued_tasks: 1}}]',
      'quotas[0].owner: is not for',
    ],
    ['quotas: [{id: q, scope: organization, limits: {}}]', 'quotas[0].limits: must name at least one limit'],
    [
      'quotas: [{id: q, scope: organization, limits: {coins: 1, queued_tasks: 1}}]',
      'quotas[0].limits.coins: unknown option',
    ],
    [
      'quotas: [{id: q, scope: organization, limits: {tokens: 5}}]',
      'quotas[0].per_task.tokens: is required with limits.tokens',
    ],
    [
      'quotas: [{id: q, scope: organization, limits: {spend: 5}, per_task: {spend: 6}}]',
      'quotas[0].per_task.spend: must not be more than limits.spend',
    ],
    [
      'quotas: [{id: q, scope: organization, limits: {queued_tasks: 5}, per_task: {runtime_seconds: 6}}]',
      'quotas[0].per_task.runtime_seconds: needs limits.runtime_seconds',
    ],
    [
      'quotas: [{id: q, scope: organization, limits: {tokens: 5}, per_task: {tokens: 1}, window: never, hard_limit: false}]',
      'quotas[0].hard_limit: must not be false with the window never',
    ],
    [
      'quotas: [{id: q, scope: organization, limits: {spend: .nan}, per_task: {spend: 1}}]',
      'quotas[0].limits.spend: ',
    ],
  ])('a quota is for something, and of what can be counted: %s', (yaml, fault) => {
    expect(onlyFault({ yaml })).toContain(fault);
  });
});
