import { describe, expect, it } from 'vitest';
import { LineSplitter, messageIn, withoutNoise } from '../../../../bridges/wire/line-splitter.ts';

describe('lines of a child', () => {
  it('are the same however the bytes are cut', () => {
    const bytes = Buffer.from('{"a":"é"}\r\n\n{"b":1}\n{"c"');
    for (let size = 1; size <= bytes.length; size += 1) {
      const lines: string[] = [];
      const splitter = new LineSplitter(
        100,
        (text) => lines.push(text),
        () => expect.fail('overlong'),
      );
      for (let at = 0; at < bytes.length; at += size) splitter.take(bytes.subarray(at, at + size));
      expect(lines).toEqual(['{"a":"é"}', '', '{"b":1}']);
    }
  });

  it('longer than the limit are told, and not read', () => {
    const lines: string[] = [];
    let overlong = 0;
    const splitter = new LineSplitter(
      5,
      (text) => lines.push(text),
      () => {
        overlong += 1;
      },
    );
    splitter.take(Buffer.from('12345\n123456'));
    expect(lines).toEqual(['12345']);
    expect(overlong).toBe(1);
  });

  it('longer than the limit are dropped to their end: no rest of one is a line', () => {
    const lines: string[] = [];
    let overlong = 0;
    const splitter = new LineSplitter(
      5,
      (text) => lines.push(text),
      () => {
        overlong += 1;
      },
    );
    for (const piece of ['1234', '56', '789', 'abc\nnext', '\n1234567\nlast\n'])
      splitter.take(Buffer.from(piece));
    expect(lines).toEqual(['next', 'last']);
    expect(overlong).toBe(2);
  });

  it('hold on to none of the pieces that they came in', () => {
    const lines: string[] = [];
    const splitter = new LineSplitter(
      10,
      (text) => lines.push(text),
      () => expect.fail('overlong'),
    );
    const piece = Buffer.alloc(1);
    for (const byte of 'one\ntwo\n') {
      piece.write(byte);
      splitter.take(piece);
    }
    expect(lines).toEqual(['one', 'two']);
  });

  it.each([
    ['\u001b]0;a title\u0007{"id":1}', '{"id":1}'],
    ['\u001b[?25l\u001b[31m{"id":1}', '{"id":1}'],
    ['\u001b]8;;http://x\u001b\\{"id":1}', '{"id":1}'],
    ['PS C:\\> {"id":1}', '{"id":1}'],
    ['Welcome!', undefined],
  ])('[ACP-USER-08] %j hold the message %j', (line, message) => {
    expect(withoutNoise(line)).toBe(message);
    expect(messageIn(line, (text) => JSON.parse(text))).toEqual(message && JSON.parse(message));
  });
});
