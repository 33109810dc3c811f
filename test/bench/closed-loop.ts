/** Runs `count` jobs on so many clients, each starting its next one when its last one is answered. */
export async function closedLoop(
  clients: number,
  count: number,
  job: (client: number, at: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const client = async (number: number) => {
    for (let at = next++; at < count; at = next++) await job(number, at);
  };
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
}

/** Milliseconds of the system's monotonic clock, the same in all processes. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
