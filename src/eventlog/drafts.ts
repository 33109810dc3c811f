import type { State } from './event-log.ts';

/**
 * States that one transaction changes in place, by their keys. The first change of a state copies it; later ones change that
 * copy, until a decision has read it. What is set as a whole is nobody's draft: it may be part of an event.
 */
export type Drafts = Map<string, State>;

/** A state of its own down to the members of its `resource` and `internal`; what these hold is shared. */
export function copyOf<S extends State>(state: S): S {
  const copy: S & { resource?: object; internal?: object } = { ...state };
  if (copy.resource !== undefined) copy.resource = { ...copy.resource };
  if (copy.internal !== undefined) copy.internal = { ...copy.internal };
  return copy;
}
