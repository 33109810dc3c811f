import { describe, expect, it } from 'vitest';
import { LineReader, withoutNoise } from '../../../bridges/acp/upstream/line-reader.ts';

describe('lines of an agent', () => {
  it('are the same however the bytes are cut', () => {
    const bytes = Buffer.from('{"a":"é"}\r\n\n{"b":1}\n{"c"');
    for (let size = 1; size <= bytes.length; size += 1) {
      const lines: string[] = [];
      const reader = new LineReader(
        100,
        (text) => lines.push(text),
        () => expect.fail('overlong'),
      );
      for (let at = 0; at < bytes.length; at += size) reader.take(bytes.subarray(at, at + size));
      expect(lines).toEqual(['{"a":"é"}', '{"b":1}']);
    }
  });

  it('longer than the limit end the reading, once', () => {
    const lines: string[] = [];
    let overlong = 0;
    const reader = new LineReader(
      5,
      (text) => lines.push(text),
      () => {
        overlong += 1;
      },
    );
    reader.take(Buffer.from('12345\n123456'));
    reader.take(Buffer.from('7\n1\n'));
    expect(lines).toEqual(['12345']);
    expect(overlong).toBe(1);
  });

  it.each([
    ['\u001b]0;a title\u0007{"id":1}', '{"id":1}'],
    ['\u001b[?25l\u001b[31m{"id":1}', '{"id":1}'],
    ['\u001b]8;;http://x\u001b\\{"id":1}', '{"id":1}'],
    ['PS C:\\> {"id":1}', '{"id":1}'],
    ['Welcome!', undefined],
  ])('%j hold the message %j', (line, message) => {
    expect(withoutNoise(line)).toBe(message);
  });
});
