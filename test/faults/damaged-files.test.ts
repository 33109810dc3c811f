import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { developmentKey, ensureSecretFile } from '#operation/data-directory.ts';
import { checkedText } from '#store/checked-file.ts';
import { startTestGateway } from '../harness/gateway.ts';
import { runCommand } from '../interop/command-line.ts';

const random = { bytes: (count: number) => randomBytes(count) };
let data: string;
beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'harn-damaged-files-'));
  for (const name of ['CONFIG', 'HOST', 'PORT', 'DATA']) vi.stubEnv(`HARN_GATEWAY_${name}`, '');
  const gateway = await startTestGateway({ data });
  await gateway.close();
  developmentKey(data, random);
  ensureSecretFile(pathOf('sample-connector-secret'), random);
  mkdirSync(join(data, 'agent-cards'), { recursive: true });
  writeFileSync(
    join(data, 'agent-cards', 'a2a.shop.json'),
    checkedText({ record: '{"url":"http://127.0.0.1:9"}' }),
  );
  writeFileSync(join(data, 'gateway.json'), checkedText({ url: 'http://127.0.0.1:9', pid: 1 }));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(data, { recursive: true, force: true });
});

const pathOf = (file: string) => join(data, file);

/** Serves the directory in this process, as `serve` does until it is ready; only a start that fails comes back. */
async function served(): Promise<{ code: number; err: string }> {
  const config = join(data, 'gateway.yaml');
  writeFileSync(config, stringify({ store: { data }, server: { port: 0 } }));
  return runCommand(['serve', '--quiet', '--config', config]);
}

/** One flipped bit in a file, at several places of it. */
function* flips(file: string): Generator<number> {
  const whole = readFileSync(pathOf(file));
  const step = Math.max(1, Math.floor(whole.length / 12));
  for (let at = 0; at < whole.length - 1; at += step) {
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 7));
    writeFileSync(pathOf(file), damaged);
    yield at;
    writeFileSync(pathOf(file), whole);
  }
}

describe('one flipped bit in a file beside the store', () => {
  it.each([
    ['api-keys.json', 'makes a new development key'],
    ['keys/registry.json', 'Restore it from a backup'],
    ['keys/input.key', 'Restore both from a backup'],
    ['agent-cards/a2a.shop.json', 'read from its agent again'],
    ['checkpoint.json', 'log accept-truncation'],
    ['sample-connector-secret', 'the next start makes a new secret'],
    ['dev-api-key', 'the next start makes a new development key'],
  ])('%s ends the start with exit code 3, the name of the file and what to do', async (file, remedy) => {
    for (const at of flips(file)) {
      const { code, err } = await served();
      expect({ at, code }).toEqual({ at, code: 3 });
      expect(err).toContain(pathOf(file));
      expect(err).toContain(remedy);
      expect(err).not.toMatch(/\n\s+at /);
    }
  });

  it('gateway.json ends a client command so', async () => {
    for (const at of flips('gateway.json')) {
      const { code, err } = await runCommand(['session', 'list', '--data', data, '--key', 'x']);
      expect({ at, code }).toEqual({ at, code: 3 });
      expect(err).toContain(pathOf('gateway.json'));
      expect(err).toContain('--url');
    }
  });
});

it.each([
  ['MANIFEST', 40],
  ['CURRENT', 9],
])(
  'a flipped bit in %s of the store ends the start with exit code 3 and says to restore',
  async (name, at) => {
    const file = readdirSync(pathOf('store')).find((found) => found.startsWith(name)) ?? '';
    const bytes = readFileSync(pathOf(`store/${file}`));
    bytes.writeUInt8(bytes.readUInt8(at) ^ 0x20, at);
    writeFileSync(pathOf(`store/${file}`), bytes);
    const { code, err } = await served();
    expect(code).toBe(3);
    expect(err).toContain(pathOf('store'));
    expect(err).toMatch(/restore a backup of the whole data directory/i);
  },
);

describe('what the message of a damaged file says to do', () => {
  it('works for a checkpoint: accept-truncation writes it anew', async () => {
    writeFileSync(pathOf('checkpoint.json'), '{"commit":');
    expect((await served()).code).toBe(3);
    const accepted = await runCommand(['log', 'accept-truncation', '--data', data]);
    expect(accepted).toMatchObject({ code: 0 });
    const gateway = await startTestGateway({ data });
    expect((await fetch(`${gateway.url}/ready`)).status).toBe(200);
    await gateway.close();
  });
});

describe('what the message of a damaged key or secret says to do', () => {
  it('works: with both files removed the next start makes new ones', async () => {
    for (const [file, other] of [
      ['dev-api-key', 'api-keys.json'],
      ['sample-connector-secret', 'sample-connector-secret.sha256'],
    ] as const) {
      const before = readFileSync(pathOf(file), 'utf8');
      writeFileSync(pathOf(file), 'x');
      expect(await served()).toMatchObject({ code: 3 });
      rmSync(pathOf(file));
      rmSync(pathOf(other));
      developmentKey(data, random);
      ensureSecretFile(pathOf('sample-connector-secret'), random);
      expect(readFileSync(pathOf(file), 'utf8')).toMatch(/^[\w-]{43,}\n$/);
      expect(readFileSync(pathOf(file), 'utf8')).not.toBe(before);
    }
  });

  it('a development key that somebody took away for good is not missed', () => {
    rmSync(pathOf('dev-api-key'));
    expect(developmentKey(data, random).fresh).toBeUndefined();
  });
});

describe('files of older versions, which have no checksum', () => {
  it('are read, and get one', async () => {
    const { keys } = JSON.parse(readFileSync(pathOf('api-keys.json'), 'utf8')) as { keys: unknown[] };
    writeFileSync(pathOf('api-keys.json'), JSON.stringify(keys));
    rmSync(pathOf('keys/input.key.sha256'));
    const registry = JSON.parse(readFileSync(pathOf('keys/registry.json'), 'utf8')) as { sha256?: string };
    delete registry.sha256;
    writeFileSync(pathOf('keys/registry.json'), JSON.stringify(registry, null, 2));
    writeFileSync(pathOf('agent-cards/a2a.shop.json'), '{"url":"http://127.0.0.1:9"}');
    const { record, fresh } = developmentKey(data, random);
    expect({ record, fresh }).toEqual({ record: keys[0], fresh: undefined });
    const gateway = await startTestGateway({ data });
    expect((await fetch(`${gateway.url}/ready`)).status).toBe(200);
    await gateway.close();
    expect(JSON.parse(readFileSync(pathOf('api-keys.json'), 'utf8'))).toMatchObject({
      keys,
      sha256: expect.any(String),
    });
    expect(JSON.parse(readFileSync(pathOf('keys/registry.json'), 'utf8'))).toEqual({
      ...registry,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(readFileSync(pathOf('keys/input.key.sha256'), 'utf8')).toMatch(/^[0-9a-f]{64} {2}input\.key\n$/);
  });

  it('are refused where they are not what they should be', async () => {
    for (const text of ['[]', '[{"id":"x"}]', '{}', 'null', '[{"id":"development","hash":"sha256:0"}]', '']) {
      writeFileSync(pathOf('api-keys.json'), text);
      const { code, err } = await served();
      expect({ text, code }).toEqual({ text, code: 3 });
      expect(err).toContain(pathOf('api-keys.json'));
    }
  });
});
