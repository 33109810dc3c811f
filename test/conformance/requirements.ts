import { A2A } from './requirements/a2a.ts';
import { ACP } from './requirements/acp.ts';
import { APPROVALS } from './requirements/approvals.ts';
import { BUNDLES } from './requirements/bundles.ts';
import { CONTRACT } from './requirements/contract.ts';
import { EXTENDED } from './requirements/extended.ts';
import { MCP } from './requirements/mcp.ts';
import { NARRATIVE } from './requirements/narrative.ts';
import { OUTBOUND } from './requirements/outbound.ts';
import { POLICY } from './requirements/policy.ts';
import type { Requirement } from './requirements/requirement.ts';
import { TRANSCRIPT } from './requirements/transcript.ts';
import { VERSION_ROWS } from './requirements/versions.ts';

/** Every row that a test has to cite by `[ID]` in its title. */
export const REQUIREMENTS: readonly Requirement[] = [
  ...NARRATIVE,
  ...EXTENDED,
  ...CONTRACT,
  ...OUTBOUND,
  ...APPROVALS,
  ...A2A,
  ...ACP,
  ...MCP,
  ...TRANSCRIPT,
  ...POLICY,
  ...BUNDLES,
  ...VERSION_ROWS,
];
