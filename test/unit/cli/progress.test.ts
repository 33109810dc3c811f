import { describe, expect, it } from 'vitest';
import { Progress } from '#cli/progress.ts';

function stage(isTTY: boolean) {
  const said: string[] = [];
  let nowMs = 0;
  const stream = { isTTY, columns: 60, write: (text: string) => void said.push(text) };
  const progress = new Progress('log check', stream, () => nowMs);
  return { said, progress, pass: (ms: number) => (nowMs += ms) };
}

describe('progress of long work', () => {
  it('says nothing where no terminal is', () => {
    const { said, progress } = stage(false);
    progress.update(1, 'commits', 2);
    progress.end();
    expect(said).toEqual([]);
  });

  it('draws a bar with a total, and a count without one', () => {
    const { said, progress, pass } = stage(true);
    progress.update(1, 'commits', 4);
    pass(100);
    progress.update(7, 'commits');
    expect(said).toEqual([
      '\r\x1b[Klog check [######..................] 25% 1/4 commits',
      '\r\x1b[Klog check 7 commits',
    ]);
  });

  it('draws again after a tenth of a second at the earliest, but always the end', () => {
    const { said, progress, pass } = stage(true);
    progress.update(1, 'commits', 3);
    pass(99);
    progress.update(2, 'commits', 3);
    progress.update(3, 'commits', 3);
    expect(said.map((text) => text.slice(-11))).toEqual(['1/3 commits', '3/3 commits']);
  });

  it('never wraps, and leaves nothing behind', () => {
    const { said, progress } = stage(true);
    progress.update(1, 'u'.repeat(100), 2);
    progress.end();
    expect(said[0]?.length).toBe('\r\x1b[K'.length + 59);
    expect(said[1]).toBe('\r\x1b[K');
  });
});
