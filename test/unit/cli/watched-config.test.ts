import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { WatchedConfig } from '#cli/watched-config.ts';

let dir: string;
let file: string;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  dir = mkdtempSync(join(tmpdir(), 'harn-watched-'));
  file = join(dir, 'gateway.yaml');
  mkdirSync(join(dir, 'personas'));
  write(8080);
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(dir, { recursive: true, force: true });
});

const write = (port: number, more = '') =>
  writeFileSync(file, `server: { port: ${port} }\nstore: { data: ${dir}/data }\n${more}`);

/** Looks that are a second apart; returns how often a change was told. */
function seen(changed: ReturnType<typeof vi.fn>, looks: number): number {
  changed.mockClear();
  vi.advanceTimersByTime(looks * 1_000);
  return changed.mock.calls.length;
}

it('tells a change once, when the file is the same for a whole look', () => {
  const source = new WatchedConfig({ config: file });
  expect(source.read().server.port).toBe(8080);
  const changed = vi.fn(() => void source.read());
  const stop = source.watch(changed);
  expect(seen(changed, 3)).toBe(0);
  write(18_080);
  expect(seen(changed, 1)).toBe(0);
  write(18_081, '# the editor goes on\n');
  expect(seen(changed, 1)).toBe(0);
  expect(seen(changed, 1)).toBe(1);
  expect(seen(changed, 5)).toBe(0);
  writeFileSync(join(dir, 'personas', 'clerk.yaml'), 'not: a persona');
  changed.mockImplementation(() => undefined);
  expect(seen(changed, 5)).toBe(1);
  stop();
  write(9, '# nobody looks');
  expect(seen(changed, 5)).toBe(0);
});
