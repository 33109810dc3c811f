import { type Command, metadataOf } from '#core/command.ts';
import { load, loadBranch, notFound } from '#core/load.ts';
import { placeOfSession } from '#core/new-event.ts';
import { refuseClosed } from '#resources/session/refuse-closed.ts';
import { createBranch } from './new-branch.ts';

export const createSessionBranch: Command<'createSessionBranch'> = {
  decide({ path, body }, tx, facts) {
    const session = load(tx, facts.caller, 'session', path.session_id).resource;
    refuseClosed(session, tx.time);
    const { kind, base_ref, parent_branch_id, task_id } = body;
    if (parent_branch_id)
      loadBranch(tx, facts.caller, parent_branch_id, session.workspace_id, 'parent_branch_id');
    if (task_id) {
      const task = load(tx, facts.caller, 'task', task_id, 'task_id').resource;
      if (task.session_id !== session.id) throw notFound('task', 'task_id');
    }
    const draft = {
      kind,
      base_ref,
      metadata: metadataOf(body),
      parent_branch_id: parent_branch_id ?? session.branch_id,
      session_id: session.id,
      task_id: task_id ?? null,
    };
    return { body: createBranch(tx, facts, placeOfSession(session), draft) };
  },
};
