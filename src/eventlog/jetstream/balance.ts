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
  const most = counts.at(-1);
  if (most?.url !== self) return undefined;
  for (const { url, partitions, owned } of counts) {
    if (most.owned.length - owned.length < 2) return undefined;
    const partition = most.owned.findLast((each) => partitions.includes(each));
    if (partition !== undefined) return { partition, to: url };
  }
  return undefined;
}
