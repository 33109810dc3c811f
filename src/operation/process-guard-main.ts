/**
 * The program of the process guard. Standard input tells it of process groups, a line `+<id>` for one that is to be watched
 * and `-<id>` for one that is gone. The end of its input means that the gateway is: what is left is then ended.
 */

/** Children see the end of their own input at the same time; a well-behaved one needs no more than this. */
const INPUT_GRACE_MS = 3_000;
const TERMINATE_GRACE_MS = 2_000;
/** Groups that are gone are forgotten at this pace, before their number can be somebody else's. */
const LOOK_EVERY_MS = 50;

const groups = new Set<number>();
let unread = '';

function take(text: string): void {
  const lines = (unread + text).split('\n');
  unread = lines.pop() ?? '';
  for (const line of lines) {
    const id = Number(line.slice(1));
    if (line.startsWith('+')) groups.add(id);
    else groups.delete(id);
  }
}

/** Signal 0 asks only whether the group is still there. */
function signalAll(signal: NodeJS.Signals | 0): void {
  for (const id of groups) {
    try {
      process.kill(-id, signal);
    } catch {
      groups.delete(id);
    }
  }
}

function endAll(): void {
  let waited = 0;
  const looking = setInterval(() => {
    waited += LOOK_EVERY_MS;
    if (waited === INPUT_GRACE_MS) signalAll('SIGTERM');
    else if (waited === INPUT_GRACE_MS + TERMINATE_GRACE_MS) signalAll('SIGKILL');
    else signalAll(0);
    if (groups.size === 0) clearInterval(looking);
  }, LOOK_EVERY_MS);
}

// It outlives whoever it watches for; what ends the gateway's terminal or group does not end it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.stdin.setEncoding('utf8').on('data', take).once('end', endAll);
