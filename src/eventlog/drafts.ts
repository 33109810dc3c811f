import type { State } from './event-log.ts';

/**
 * States that one transaction changes in place. The first change of a state copies it; later ones change that copy, until
 * somebody may have seen it. What is set as a whole is nobody's draft: it may be part of an event.
 */
export class Drafts {
  readonly #open = new Map<string, State>();

  /** The draft of a state, begun from `read` and given to `keep`; undefined where there is no such state. */
  of(key: string, read: () => State | undefined, keep: (draft: State) => void): State | undefined {
    const open = this.#open.get(key);
    if (open !== undefined) return open;
    const state = read();
    if (state === undefined) return undefined;
    const draft = copyOf(state);
    this.#open.set(key, draft);
    keep(draft);
    return draft;
  }

  /** From now on the state stays as it is; another change copies it again. */
  close(key: string): void {
    this.#open.delete(key);
  }

  closeAll(): void {
    this.#open.clear();
  }
}

/** A state of its own down to the members of its `resource` and `internal`; what these hold is shared. */
export function copyOf<S extends State>(state: S): S {
  const copy: S & { resource?: object; internal?: object } = { ...state };
  if (copy.resource !== undefined) copy.resource = { ...copy.resource };
  if (copy.internal !== undefined) copy.internal = { ...copy.internal };
  return copy;
}
