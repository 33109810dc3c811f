import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunningGateways } from '#operation/running-gateways.ts';

/** No process of any system has it. */
const DEAD = 2 ** 30;

describe('the addresses of the gateways that a user runs', () => {
  let home: string;
  let running: RunningGateways;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'harn-home-'));
    running = new RunningGateways({ XDG_STATE_HOME: home });
  });
  afterEach(() => rmSync(home, { recursive: true }));

  const gateway = (data: string, day: number, pid = process.pid) => ({
    url: 'http://127.0.0.1:8080',
    pid,
    data,
    started_at: `2026-11-0${day}T00:00:00.000Z`,
  });

  it('are those whose processes live, the newest first; there may be none', () => {
    expect(running.list()).toEqual([]);
    for (const one of [gateway('/old', 1), gateway('/new', 3), gateway('/killed', 4, DEAD)]) running.add(one);
    expect(running.list().map(({ data }) => data)).toEqual(['/new', '/old']);
  });

  it('are read by their user only, one for each data directory', () => {
    running.add(gateway('/data', 1, DEAD));
    running.add(gateway('/data', 2));
    const [file = '', ...others] = readdirSync(running.directory);
    expect(others).toEqual([]);
    expect(statSync(join(running.directory, file)).mode & 0o777).toBe(0o600);
    expect(statSync(running.directory).mode & 0o777).toBe(0o700);
  });

  it('leave out what is no address; a start removes it, with those of gateways that were killed', () => {
    running.add(gateway('/killed', 1, DEAD));
    for (const [at, text] of ['', 'null', '{"url": 1}', '{"url": "http://x", "pid": "1"}'].entries())
      writeFileSync(join(running.directory, `${at}.json`), text);
    expect(running.list()).toEqual([]);
    running.add(gateway('/data', 2));
    expect(readdirSync(running.directory)).toHaveLength(1);
  });

  it('are taken away by the process that they are of', () => {
    running.add(gateway('/data', 1));
    running.remove({ data: '/data', pid: DEAD });
    expect(running.list()).toHaveLength(1);
    running.remove({ data: '/data', pid: process.pid });
    expect(running.list()).toEqual([]);
  });
});
