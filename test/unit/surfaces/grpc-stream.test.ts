import { expect, it } from 'vitest';
import type { ProtocolError } from '#protocol/errors.ts';
import { GrpcStream } from '#surfaces/grpc/stream.ts';

/** A call whose messages leave when the test says so. */
function stage(streamBufferBytes: number) {
  const written: Buffer[] = [];
  const left: (() => void)[] = [];
  const ended: { cursor: string; error: ProtocolError | undefined }[] = [];
  let overflows = 0;
  const call = {
    write: (bytes: Buffer, done: () => void) => {
      written.push(bytes);
      left.push(done);
      return true;
    },
  };
  const stream = new GrpcStream({
    call: call as never,
    streamBufferBytes,
    begin: () => undefined,
    finish: (cursor, error) => ended.push({ cursor, error }),
    onOverflow: () => {
      overflows += 1;
    },
  });
  return { stream, written, left, ended, overflows: () => overflows };
}

const message = (bytes: number) => Buffer.alloc(bytes);

it('hands on no more than fits its window, and the rest when that has left', () => {
  const { stream, written, left } = stage(1_000_000);
  for (let n = 0; n < 10; n += 1) stream.write({ sse: message(20_000), id: `${n}` });
  expect(written).toHaveLength(4);
  left.shift()?.();
  expect(written).toHaveLength(5);
});

it('ends a client that does not read, with the cursor of the last message it may have got', () => {
  const { stream, written, ended, overflows } = stage(200_000);
  for (let n = 0; n < 20; n += 1) stream.write({ sse: message(20_000), id: `${n}` });
  expect(overflows()).toBe(1);
  expect(ended).toEqual([
    { cursor: String(written.length - 1), error: expect.objectContaining({ code: 'rate_limited' }) },
  ]);
  expect(stream.write({ sse: message(1), id: 'x' })).toBe(0);
});

it('lets one message pass that is larger than all it keeps', () => {
  const { stream, written, ended } = stage(1_000);
  stream.write({ sse: message(50_000), id: '1' });
  expect([written.length, ended]).toEqual([1, []]);
});

it('is drained once half of what it keeps is free', async () => {
  const { stream, left } = stage(60_000);
  for (let n = 0; n < 3; n += 1) stream.write({ sse: message(20_000), id: `${n}` });
  let isDrained = false;
  const drained = stream.drained().then(() => {
    isDrained = true;
  });
  left.shift()?.();
  await Promise.resolve();
  expect(isDrained).toBe(false);
  left.shift()?.();
  await drained;
});

it('ends after what waits has left, and at once for a client that is gone', () => {
  const first = stage(1_000_000);
  for (let n = 0; n < 6; n += 1) first.stream.write({ sse: message(20_000), id: `${n}` });
  first.stream.end('complete');
  expect(first.ended).toEqual([]);
  while (first.left.length > 0) first.left.shift()?.();
  expect(first.ended).toEqual([{ cursor: '5', error: undefined }]);
  const second = stage(1_000_000);
  second.stream.write({ sse: message(1), id: '1' });
  second.stream.closed();
  second.stream.end('complete');
  expect(second.ended).toEqual([]);
});
