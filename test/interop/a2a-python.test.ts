import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { findPackageRoot } from '#config/package-root.ts';
import { stageOf } from '../conformance/stage.ts';
import { grpcAddress } from '../harness/grpc-client.ts';

/** A Python that has `a2a-sdk[grpc]`; its path may be named. */
const PYTHON = process.env['HARN_TEST_PYTHON'] ?? 'python3';
const why = missing();

function missing(): string | undefined {
  try {
    execFileSync(PYTHON, ['-c', 'import a2a.client.transports.grpc, a2a.compat.v0_3.grpc_transport, httpx'], {
      stdio: 'ignore',
    });
    return undefined;
  } catch {
    return `: skipped, as ${PYTHON} has no a2a-sdk[grpc]; name another one by HARN_TEST_PYTHON`;
  }
}

const run = promisify(execFile);
const script = join(findPackageRoot(import.meta.url), 'test', 'harness', 'peers', 'a2a-python-client.py');

describe.skipIf(why !== undefined)(`the clients of a2a-sdk for Python${why ?? ''}`, () => {
  const stage = stageOf({ config: { server: { grpc: { port: 0 } } } });

  it.each(['jsonrpc-1.0', 'http+json-1.0', 'grpc-1.0', 'http+json-0.3', 'grpc-0.3'])(
    '%s: stream, ask, read, cancel and are refused',
    async (binding) => {
      const { gateway, client } = stage;
      const [way, version] = binding.split('-');
      const url = way === 'grpc' ? await grpcAddress(gateway.url, version) : `${gateway.url}/a2a`;
      const { stdout } = await run(PYTHON, [script, binding, url, client.key]);
      expect(JSON.parse(stdout)).toEqual({
        streamed: [
          'task',
          'chunk chunk 1 of 3',
          'chunk chunk 2 of 3',
          'chunk chunk 3 of 3',
          'TASK_STATE_COMPLETED',
        ],
        asked: 'TASK_STATE_INPUT_REQUIRED',
        canceled: 'TASK_STATE_CANCELED',
        refused: expect.stringMatching(/Error$/),
      });
    },
    60_000,
  );
});
