import { fitsAsJson } from '../../json/json-size.ts';
import { mergeMetadata } from '../../projections/fold-task.ts';
import type { TaskState } from '../../projections/read-states.ts';
import { type Clean, type CleanObject, pieceOf } from '../../protocol/clean.ts';
import type { Failure } from '../../protocol/task-states.ts';
import type { Move } from '../../upstream.ts';
import { boundedMetadata, movedMetadata, withBoundedMetadata } from '../large-metadata.ts';
import { placeOfTask } from '../new-event.ts';
import type { MoveTarget } from './move-target.ts';

/** A Task holds its caller's metadata, up to one inline limit, and as much again of its agent. */
const LIMITS_OF_TASK = 2;
/** Characters of an agent's reason; its Message and its recorded frame have them all. */
const FAILURE_CHARS = 4_000;

/** A move whose metadata and details fit into events and folds; what is larger is in an Artifact (contract C27). */
export function boundedMove(target: MoveTarget, task: TaskState, move: Clean<Move>): Clean<Move> {
  const { tx, tools } = target;
  const place = placeOfTask(task.resource);
  switch (move.type) {
    case 'metadata':
      return { ...move, patch: boundedPatch(target, task, move.patch) };
    case 'note':
      return move.details ? { ...move, details: boundedMetadata(tx, tools, place, move.details) } : move;
    case 'status': {
      const patched = move.metadata ? { metadata: boundedPatch(target, task, move.metadata) } : {};
      return { ...move, ...patched, ...boundedFailure(target, task, move.failure) };
    }
    case 'permission':
      return { ...move, permission: withBoundedMetadata(tx, tools, place, move.permission) };
    case 'bind':
    case 'message':
    case 'artifact':
    case 'permission_closed':
    case 'tool':
    case 'file_written':
    case 'policy':
    case 'reasoning':
    case 'update':
    case 'usage':
      return move;
  }
}

/** Many small patches may not grow the Task without end either. */
function boundedPatch({ tx, tools }: MoveTarget, { resource }: TaskState, patch: CleanObject): CleanObject {
  const { inlineBytes } = tools.limits;
  const fits =
    fitsAsJson(patch, inlineBytes) &&
    fitsAsJson(mergeMetadata(resource.metadata, patch), LIMITS_OF_TASK * inlineBytes);
  return fits ? patch : movedMetadata(tx, tools, placeOfTask(resource), patch);
}

function boundedFailure(
  { tx, tools }: MoveTarget,
  { resource }: TaskState,
  failure: Clean<Failure> | undefined,
): { failure?: Clean<Failure> } {
  if (failure === undefined) return {};
  const message = pieceOf(failure.message, 0, FAILURE_CHARS);
  const { details } = failure;
  if (details === undefined) return { failure: { ...failure, message } };
  return {
    failure: { ...failure, message, details: boundedMetadata(tx, tools, placeOfTask(resource), details) },
  };
}
