import { type CleanText, sentence } from '#protocol/clean.ts';
import type { Decision } from './decision.ts';

/** What a halt in force stops. */
export interface HaltedTarget {
  id: CleanText;
  route: string;
  /** As its agent names it, and as the gateway names the Skill; null: everything on the route. */
  tool: CleanText | null;
  skillId: string | null;
  reason: CleanText;
}

/** The halts in force, in memory: `inForce` is undefined while there are none, so that asking costs nothing. */
export interface Halts {
  inForce: readonly HaltedTarget[] | undefined;
}

/** The halt that stops an action, the one of its whole agent first. */
export function haltOn(
  { inForce }: Halts,
  { route, skillId }: { route: string; skillId?: string | undefined },
): HaltedTarget | undefined {
  if (inForce === undefined) return undefined;
  const ofRoute = inForce.filter((halt) => halt.route === route);
  return (
    ofRoute.find(({ tool }) => tool === null) ??
    ofRoute.find((halt) => skillId !== undefined && (halt.tool === skillId || halt.skillId === skillId))
  );
}

/** Why nothing is done there, in the words of whoever halted it. */
export function decisionOfHalt({ tool, reason }: HaltedTarget): Decision & { effect: 'refuse' } {
  return tool === null
    ? {
        effect: 'refuse',
        rule: sentence`halt.agent`,
        because: sentence`An operator has halted this agent: ${reason}`,
      }
    : {
        effect: 'refuse',
        rule: sentence`halt.tool`,
        because: sentence`An operator has halted this tool: ${reason}`,
      };
}
