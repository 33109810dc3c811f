import type { State, StateWriter } from '#eventlog/event-log.ts';
import { copyOf } from '#eventlog/fold-record.ts';

/** States and list markers in memory, for one fold at a time. What is set is kept as it would be stored. */
export class FoldedRows implements StateWriter {
  readonly rows = new Map<string, State>();
  readonly markers = new Set<string>();
  /** Everything that was set, in order. */
  readonly written: State[] = [];

  get<S extends State>(key: string): S | undefined {
    // The caller names the type of the states under its own keys.
    return this.rows.get(key) as S | undefined;
  }

  draft<S extends State>(key: string): S | undefined {
    const state = this.get<S>(key);
    if (state === undefined) return undefined;
    const draft = copyOf(state);
    this.rows.set(key, draft);
    return draft;
  }

  set(key: string, state: State | undefined): void {
    if (state === undefined) this.rows.delete(key);
    else this.rows.set(key, JSON.parse(JSON.stringify(state)));
    this.written.push(state ?? {});
  }

  said<Value extends object>(_event: unknown, value: Value): Value {
    return value;
  }

  index(key: string): void {
    this.markers.add(key);
  }

  unindex(key: string): void {
    this.markers.delete(key);
  }
}
