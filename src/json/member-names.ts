/** Up to here comparing a list is cheaper than building a set. */
const LIST_LIMIT = 8;

/** The member names of the objects that are open, one collection per depth, reused by the next object there. */
export class MemberNames {
  private readonly lists: string[][] = [];
  private readonly sets: (Set<string> | undefined)[] = [];

  /** Starts the object at `depth` without names. */
  enter(depth: number): void {
    const list = this.lists[depth];
    if (list === undefined) this.lists[depth] = [];
    else list.length = 0;
    this.sets[depth] = undefined;
  }

  /** Adds a name; false when the object at `depth` has it already. */
  add(depth: number, name: string): boolean {
    const set = this.sets[depth];
    if (set !== undefined) {
      if (set.has(name)) return false;
      set.add(name);
      return true;
    }
    const list = this.lists[depth];
    if (list === undefined) throw new RangeError('add() before enter()');
    if (list.includes(name)) return false;
    list.push(name);
    if (list.length > LIST_LIMIT) this.sets[depth] = new Set(list);
    return true;
  }
}
