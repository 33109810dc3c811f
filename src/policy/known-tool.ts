import type { JudgedTool } from '#protocol/intended-call.ts';
import { decideAction } from './action.ts';
import type { Decision } from './decision.ts';
import type { PolicySettings } from './settings.ts';

/** What becomes of a tool where no persona, session or workspace limits anything: the default tier decides. */
export function decideTool(policy: PolicySettings, route: string, tool: JudgedTool): Decision {
  return decideAction({
    policy,
    action: { route, ...tool },
    tier: policy.defaultTier,
    session: {},
    workspace: { id: '', capabilities: [] },
    isApproved: false,
  });
}
