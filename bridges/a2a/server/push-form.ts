import { type Encoding, encodeTask, encodeUpdate, type Version } from '../../../mappings/a2a/encode-task.ts';
import { A2A_REST_TYPE } from '../../../mappings/a2a/operations.ts';
import { TaskView } from '../../../mappings/a2a/task-view.ts';
import type { PushForm } from '../../bridge.ts';
import { contextIdOf } from './messages.ts';

/** Content that stands beside the log is described, not inlined: a receiver reads it with its own credential. */
const AT_HAND: Pick<Encoding, 'bytes' | 'parts'> = { bytes: new Map(), parts: new Map() };

/**
 * What a push notification holds: in 1.0 each change as on a stream, in 0.3 the Task as it is after the change.
 * Spec: A2A 1.0, 4.3.3; A2A 0.3, 9.5.
 */
export const PUSH_FORMS = { 'a2a-1.0': formOf('1.0'), 'a2a-0.3': formOf('0.3') } as const;

function formOf(version: Version): PushForm {
  return {
    headers: {
      'content-type': version === '1.0' ? A2A_REST_TYPE : 'application/json',
      'a2a-version': version,
    },
    open: (task) => {
      const view = new TaskView();
      return (event) => {
        const updates = view.advance(event).filter(({ type }) => type !== 'event');
        if (updates.length === 0) return [];
        const { id } = task();
        const encoding: Encoding = {
          ...AT_HAND,
          version,
          taskId: id,
          contextId: contextIdOf(task()),
          extended: false,
        };
        if (version === '0.3') return [encodeTask(view, encoding, { artifacts: true })];
        return updates.map((update) => encodeUpdate(update, view, encoding, event));
      };
    },
  };
}
