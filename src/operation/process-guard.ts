import { type ChildProcess, spawn } from 'node:child_process';
import type { Logger } from '#protocol/ports.ts';

/**
 * The program of the guard, for a POSIX shell, which needs 1 MB where a second Node would need 45. Its input names the process
 * groups, a line `+<id>` for one that is to be watched and `-<id>` for one that is gone. The end of its input means that the
 * gateway is. Children see the end of their own input at the same time, and a well-behaved one ends within 3 s; what is left is
 * asked to end, and killed after 2 s more. Groups that are gone are forgotten at once, before their number can be another's.
 */
const GUARD_PROGRAM = `
trap '' INT TERM HUP
watched=' '
forget() { case $watched in *" $1 "*) watched="\${watched%% $1 *} \${watched#* $1 }";; esac; }
signal_all() { for group in $watched; do kill -s "$1" -- "-$group" 2>/dev/null || forget "$group"; done; }
while IFS= read -r line; do
  case $line in
    +*) watched="$watched\${line#+} ";;
    -*) forget "\${line#-}";;
  esac
done
turn=0
while [ "$watched" != ' ' ]; do
  case $turn in
    60) signal_all TERM;;
    100) signal_all KILL;;
    *) signal_all 0;;
  esac
  turn=$((turn + 1))
  sleep 0.05
done
`;

/**
 * Ends process groups that would outlive this process, also when it is killed and can do nothing any more: a small process
 * beside it holds the other end of a pipe, and ends the groups when the pipe breaks. It runs only while there is a group.
 */
export class ProcessGuard {
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #groups = new Set<number>();
  #child: ChildProcess | undefined;

  constructor(logger: Pick<Logger, 'warn'>) {
    this.#logger = logger;
  }

  /** Takes a group on, by the id of its leader, as soon as it is started. */
  watch(group: number): void {
    this.#groups.add(group);
    if (this.#child === undefined) this.#start();
    else this.#child.stdin?.write(`+${group}\n`);
  }

  /** The group is gone. */
  release(group: number): void {
    if (!this.#groups.delete(group)) return;
    this.#child?.stdin?.write(`-${group}\n`);
    if (this.#groups.size > 0) return;
    this.#child?.stdin?.end();
    this.#child = undefined;
  }

  #start(): void {
    const child = spawn('/bin/sh', ['-c', GUARD_PROGRAM], {
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { PATH: '/bin:/usr/bin' },
      detached: true,
    });
    this.#child = child;
    child.once('error', (error) => this.#lost(child, error.message));
    child.once('exit', (code) => this.#lost(child, `it ended with code ${code}`));
    // A broken pipe shows as the end of the process.
    child.stdin.on('error', () => undefined);
    child.stdin.write([...this.#groups].map((group) => `+${group}\n`).join(''));
    // The guard must not keep this process alive.
    child.unref();
  }

  /** The next group brings a new guard, which watches the others too. */
  #lost(child: ChildProcess, why: string): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    this.#logger.warn({ why }, 'the process guard is gone');
  }
}
