/** A node as the others see it. */
export interface SeenNode {
  /** Origin at which the others reach it. */
  url: string;
  /** Partitions of which it has a gateway that decides, or could at once. */
  partitions: readonly string[];
}

/** A partition that its node is to leave to another one. */
export interface PartitionMove {
  partition: string;
  to: string;
}

/**
 * What a node gives away so that all decide for as many partitions as the others, give or take one; undefined where that is so, or where
 * another node has more. Every node decides by this rule for itself, so one partition moves at a time.
 * @param owners origin of the node that decides, by partition
 */
export function moveFrom(
  self: string,
  nodes: readonly SeenNode[],
  owners: ReadonlyMap<string, string>,
): PartitionMove | undefined {
  const ownedBy = (url: string) =>
    [...owners].flatMap(([partition, owner]) => (owner === url ? partition : []));
  const counts = nodes
    .map(({ url, partitions }) => ({ url, partitions, owned: ownedBy(url).sort() }))
    .sort((one, other) => one.owned.length - other.owned.length || (one.url < other.url ? -1 : 1));
  // The fullest that has somebody to give to: where it is another node, that one acts.
  for (const from of counts.toReversed())
    for (const { url, partitions, owned } of counts) {
      if (from.owned.length - owned.length < 2) break;
      const partition = from.owned.findLast((each) => partitions.includes(each));
      if (partition !== undefined) return from.url === self ? { partition, to: url } : undefined;
    }
  return undefined;
}
