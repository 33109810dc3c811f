import { describe, expect, it } from 'vitest';
import { onlyFault } from './config-harness.ts';

describe('faults of policy.approvals name the option and say what is wanted', () => {
  it.each([
    ['policy: {approvals: [{quorum: 0}]}', 'policy.approvals[0].quorum:'],
    [
      'policy: {approvals: [{quorum: 2, workspace: nowhere}]}',
      'policy.approvals[0].workspace: names no configured workspace',
    ],
    [
      'policy: {approvals: [{}, {}]}',
      'policy.approvals[1].workspace: repeats the workspace of an earlier entry',
    ],
    [
      'policy: {approvals: [{webhooks: [{id: chat, url: "ftp://x/", secret: {env: HOME}}]}]}',
      'policy.approvals[0].webhooks[0].url: must be an http or https URL',
    ],
    [
      'policy: {approvals: [{webhooks: [{id: chat, url: "https://x/", secret: hunter2}]}]}',
      'policy.approvals[0].webhooks[0].secret: must be {env: NAME}',
    ],
    [
      'policy: {approvals: [{webhooks: [{id: chat, url: "https://x/", secret: {env: NOT_SET}}]}]}',
      'policy.approvals[0].webhooks[0].secret: the environment variable NOT_SET is not set',
    ],
  ])('%s', (yaml, fault) => {
    expect(onlyFault({ yaml })).toContain(fault);
  });
});
