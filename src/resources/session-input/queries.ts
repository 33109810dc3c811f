import type { Handlers } from '#core/command.ts';
import { load } from '#core/load.ts';
import type { Query, QueryTools } from '#core/query.ts';
import { refuseClosed } from '#resources/session/session-lane.ts';
import type { SessionInputsRequest } from './schema.ts';

/** Nothing of it passes the log: no event, no idempotency record. */
const updateSessionInputs: Query<'updateSessionInputs'> = async ({ path, body }, tools) => {
  const session = load(tools.reader, tools.caller, 'session', path.session_id).resource;
  refuseClosed(session, tools.time);
  const outcome = apply(session.id, body, tools);
  const told = body.kind === 'list' ? [] : await tools.inputs.tell(session.id);
  const names =
    body.kind === 'put' ? [body.spec.name] : tools.inputs.list(session.id).map(({ name }) => name);
  const taken_by = names.map((name) => ({ name, routes: tools.self.routesTaking(name) }));
  const isTaken = taken_by.every(({ routes }) => routes.length > 0);
  const message = isTaken
    ? 'Kept in memory until the session ends or the gateway restarts; put them again then.'
    : 'Kept in memory until the session ends or the gateway restarts. Some of them no route takes: name them in its inputs in the configuration.';
  return {
    status: 200,
    body: { kind: 'json', value: { ...outcome, delivery: { kept: 'memory', taken_by, told, message } } },
  };
};

function apply(sessionId: string, body: SessionInputsRequest, { inputs }: QueryTools): object {
  switch (body.kind) {
    case 'list':
      return { inputs: inputs.list(sessionId) };
    case 'put':
      return { input: inputs.put(sessionId, body) };
    case 'remove':
      return { removed: inputs.remove(sessionId, body.name) };
    case 'sync':
      return { applied: inputs.sync(sessionId, body.snapshot), inputs: inputs.list(sessionId) };
    default:
      return body satisfies never;
  }
}

export const handlers = { updateSessionInputs } satisfies Partial<Handlers>;
