import { DEFAULT_TENANT } from '#config/sections/tenancy.ts';
import { unlessDamaged } from '#core/unless-damaged.ts';
import type { EventLog } from '#eventlog/event-log.ts';
import type { Logger } from '#protocol/ports.ts';
import type { Redactor } from '#redaction/redactor.ts';
import { skillId } from '#resources/skill/skills.ts';
import { pinnedDefinition, recordDefinitions } from '#resources/skill/tool-definitions.ts';
import type { Definitions } from '../../bridges/bridge.ts';

/** Definitions of tools are pinned in the log; a store that cannot be written now hears of them at the next start. */
export function toolDefinitions(log: EventLog, logger: Logger, redactor: Redactor): Definitions {
  const reader = { get: log.state.bind(log) };
  return {
    pinned: (route, name) => unlessDamaged(() => pinnedDefinition(reader, route, name), undefined),
    report: (route, changes) => {
      const told = changes.map(({ name, change, definitionSha256, pinnedSha256 }) => ({
        tool: name,
        skill: skillId(route, name),
        change,
        definition_sha256: definitionSha256,
        pinned_sha256: pinnedSha256,
      }));
      const clean = redactor.clean({ tenant: String(DEFAULT_TENANT), route, told }).value;
      recordDefinitions(log, clean.tenant, clean.route, clean.told).catch((error: unknown) =>
        logger.warn({ err: error, route }, 'changes of tool definitions were not recorded'),
      );
    },
  };
}
