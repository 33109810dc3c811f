/** What is made of a part of the configuration: made at the first use, and anew when a reload has put another part there. */
export function madeOf<Part, Made>(part: () => Part, make: (part: Part) => Made): () => Made {
  let last: { part: Part; made: Made } | undefined;
  return () => {
    const now = part();
    if (last === undefined || last.part !== now) last = { part: now, made: make(now) };
    return last.made;
  };
}
