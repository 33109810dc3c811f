import type { Event } from '#eventlog/event-log.ts';
import type { JsonValue } from '#protocol/json.ts';

/** What one event says in the words of a run record; a teller is made per list, because some remember what came before. */
export type Teller = (event: Event) => JsonValue[];

/** Lifecycle moves of the Tasks. */
export function transitions(): Teller {
  return ({ id, payload, resource, created_at }) => {
    const { status, previous_status, checkpoint_id } = payload;
    if (resource.object !== 'task' || typeof checkpoint_id !== 'string' || previous_status === undefined)
      return [];
    return [
      {
        id,
        task_id: resource.id,
        from_node_id: previous_status,
        to_node_id: status ?? null,
        checkpoint_id,
        timestamp: created_at,
      },
    ];
  };
}

/** Where a replay can begin. */
export function checkpoints(): Teller {
  return ({ id, event, payload, resource, created_at }) => {
    const { checkpoint_id } = payload;
    if (resource.object !== 'task' || typeof checkpoint_id !== 'string') return [];
    return [
      {
        id: checkpoint_id,
        event_id: id,
        last_stage_id: resource.id,
        persisted_at: created_at,
        reason: event,
      },
    ];
  };
}

/** Calls of tools by their hashes: what went in and out is in the frames. */
export function toolCalls(): Teller {
  const inputs = new Map<string, { args_hash: JsonValue; at: string }>();
  return ({ event, payload, created_at, task_id }) => {
    const { tool_call_id, name = null, input_sha256 = null, output_sha256 = null } = payload;
    const id = `${task_id}/${String(tool_call_id)}`;
    if (event === 'tool.requested') inputs.set(id, { args_hash: input_sha256, at: created_at });
    if (event !== 'tool.completed' && event !== 'tool.failed') return [];
    const asked = inputs.get(id);
    inputs.delete(id);
    return [
      {
        tool_use_id: id,
        tool_name: name,
        args_hash: asked?.args_hash ?? null,
        result_hash: output_sha256,
        is_rejected: event === 'tool.failed',
        duration_ms: asked === undefined ? null : Date.parse(created_at) - Date.parse(asked.at),
        timestamp: created_at,
      },
    ];
  };
}

/** What people were asked. */
export function questions(): Teller {
  return ({ payload, actor, created_at, trace_id }) => {
    const asked = payload['permission_request'] as { id: string; request?: { message?: string } } | undefined;
    if (asked === undefined) return [];
    const prompt = asked.request?.message ?? '';
    return [{ request_id: asked.id, agent: actor, prompt, asked_at: created_at, trace_id }];
  };
}

export function spans(): Teller {
  return ({ event, payload, trace_id, created_at }) => {
    if (event !== 'span.started') return [];
    const { span_id = null, parent_span_id = null, name = null, route = null } = payload;
    return [
      {
        span_id,
        parent_span_id,
        name,
        kind: route,
        trace_id,
        started_at: created_at,
        links: [],
        metadata: {},
      },
    ];
  };
}
