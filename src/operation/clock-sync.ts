import { spawnSync } from 'node:child_process';

const ANSWER_MS = 2_000;

/** Whether something keeps the clock of this machine right, as the kernel says by systemd; undefined where nobody says it. */
export function isClockKept(path: string | undefined): boolean | undefined {
  const asked = ['show', '--property=NTPSynchronized', '--value'];
  const env = path === undefined ? {} : { PATH: path };
  const { status, stdout } = spawnSync('timedatectl', asked, { env, timeout: ANSWER_MS, encoding: 'utf8' });
  if (status !== 0) return undefined;
  const said = stdout.trim();
  return said === 'yes' ? true : said === 'no' ? false : undefined;
}
