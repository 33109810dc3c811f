import type { Command, Handlers } from '#core/command.ts';
import type { Facts, Route } from '#core/facts.ts';
import { listAmong, listPage, paging } from '#core/list-page.ts';
import { ID, notFound } from '#core/load.ts';
import { newEvent } from '#core/new-event.ts';
import { ok, type Query } from '#core/query.ts';
import type { StateReader } from '#eventlog/event-log.ts';
import type { Clean, CleanText } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { haltsInForce } from './fold.ts';
import type { CreateHaltRequest, Halt } from './schema.ts';
import { type CleanHaltState, haltKeys } from './state.ts';

/** What runs is ended after the halt is durable, so that a crash in between ends it at the next start. */
const createHalt: Command<'createHalt'> = {
  decide({ body }, tx, facts) {
    const target = targetOf(body, facts);
    if (inForceOn(tx, target) === undefined) {
      const id = facts.newId('halt');
      const halt: Clean<Halt> = {
        id,
        object: 'halt',
        created_at: tx.time,
        updated_at: tx.time,
        metadata: {},
        ...target,
        reason: body.reason,
        created_by: facts.by.actor,
        released_at: null,
        released_by: null,
        release_reason: null,
      };
      const place = { tenant_id: facts.by.tenant };
      tx.append(newEvent('vendor.harn_gateway.halt_created', { object: 'halt', id }, place, { halt }));
    }
    tx.afterCommit(() => facts.runs.haltsChanged());
    return { effect: { kind: 'stop_halted' } };
  },

  conclude({ body }, tx, facts, { endedTasks = 0 }) {
    const halt = inForceOn(tx, targetOf(body, facts));
    if (halt !== undefined) return { body: { ...halt, ended_tasks: endedTasks } };
    // Somebody released it while what ran was ended.
    throw new ProtocolError(
      'conflict',
      'The halt was released meanwhile. List the halts, then halt it again.',
    );
  },
};

const releaseHalt: Command<'releaseHalt'> = {
  decide({ path, body }, tx, facts) {
    const halt = haltOfId(tx, path.halt_id);
    if (halt.released_at === null) {
      const released = {
        released_at: tx.time,
        released_by: facts.by.actor,
        release_reason: body?.reason ?? null,
      };
      const place = { tenant_id: facts.by.tenant };
      tx.append(
        newEvent('vendor.harn_gateway.halt_released', { object: 'halt', id: halt.id }, place, released),
      );
      tx.afterCommit(() => facts.runs.haltsChanged());
    }
    return { effect: { kind: 'start_released', route: halt.route } };
  },

  conclude: ({ path }, tx) => ({ body: haltOfId(tx, path.halt_id) }),
};

type Target = { route: CleanText; tool: CleanText | null };

/** What a halt is about. Throws for a route or a Skill that nobody knows. */
function targetOf({ route: name, tool }: Clean<CreateHaltRequest>, facts: Facts): Target {
  const found = facts.routes.find(name);
  if (found === undefined) {
    const message =
      'route: names no agent and no Skill of this gateway. GET /v1/agents and GET /v1/skills list them.';
    throw new ProtocolError('resource_not_found', message, { param: 'route' });
  }
  const { route, skillId } = found;
  if (skillId !== undefined && tool !== undefined && tool !== skillId) {
    const message = 'tool: the route names a Skill already. Leave one of them out.';
    throw new ProtocolError('invalid_request', message, { param: 'tool' });
  }
  refuseUnknownTool(found, tool, facts);
  return { route, tool: skillId ?? tool ?? null };
}

/** A tool server says what it has; what tools an agent has is its own affair. */
function refuseUnknownTool({ route }: Route, tool: string | undefined, { self }: Facts): void {
  if (tool === undefined || !route.startsWith('mcp:')) return;
  const known = self.agents().find((agent) => agent.route === route)?.description.skills;
  if (known === undefined || known.some(({ id }) => id === tool)) return;
  const message = 'tool: the server has no tool of this name. GET /v1/skills lists those it has.';
  throw new ProtocolError('resource_not_found', message, { param: 'tool' });
}

function inForceOn(reader: StateReader, { route, tool }: Target): Clean<Halt> | undefined {
  return haltsInForce(reader).find((halt) => halt.route === route && halt.tool === tool);
}

/** Operators of every tenant see all of them: an agent is stopped for everybody. */
function haltOfId(reader: StateReader, id: string): Clean<Halt> {
  const state = ID.test(id) ? reader.get<CleanHaltState>(haltKeys.halt(id)) : undefined;
  if (state === undefined) throw notFound('halt', 'halt_id');
  return state.resource;
}

const getHalt: Query<'getHalt'> = ({ path }, { reader, caller }) =>
  ok(haltOfId(reader, path.halt_id), caller);

const listHalts: Query<'listHalts'> = ({ query }, tools) =>
  query.state === 'all'
    ? listPage(tools, { lists: [haltKeys.halts], ...paging(query), keyOf: haltKeys.halt })
    : listAmong(
        tools,
        haltsInForce(tools.reader).map(({ id }) => id),
        { ...paging(query), keyOf: haltKeys.halt },
      );

export const handlers = { createHalt, releaseHalt, getHalt, listHalts } satisfies Partial<Handlers>;
