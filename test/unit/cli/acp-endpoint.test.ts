import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Endpoints } from '#cli/acp/endpoint.ts';

const NAMES = ['HOME', 'XDG_CONFIG_HOME', 'HARN_GATEWAY_URL', 'HARN_GATEWAY_KEY'] as const;

describe('where the launcher looks for its gateway', () => {
  const before = Object.fromEntries(NAMES.map((name) => [name, process.env[name]]));
  let home: string;

  function setEnvironment(values: Partial<Record<(typeof NAMES)[number], string | undefined>>): void {
    for (const name of NAMES) {
      if (values[name] === undefined) delete process.env[name];
      else process.env[name] = values[name];
    }
  }

  function settings(text: string, directory = join(home, '.config')): void {
    mkdirSync(join(directory, 'harn-gateway'), { recursive: true });
    writeFileSync(join(directory, 'harn-gateway', 'client.json'), text);
    writeFileSync(join(directory, 'harn-gateway', 'key'), 'key of the file\n');
  }

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'harn-home-'));
    setEnvironment({ HOME: home });
  });
  afterEach(() => {
    setEnvironment(before);
    rmSync(home, { recursive: true });
  });

  const FILE = JSON.stringify({ url: 'http://settings.example/', key_file: 'key' });

  it('in the settings of its user, with a key file that is named from there', async () => {
    settings(FILE);
    expect(await new Endpoints({}).find()).toEqual({
      url: 'http://settings.example',
      key: 'key of the file',
    });
  });

  it('in the directory that XDG_CONFIG_HOME names', async () => {
    settings(FILE, join(home, 'elsewhere'));
    setEnvironment({ HOME: home, XDG_CONFIG_HOME: join(home, 'elsewhere') });
    expect((await new Endpoints({}).find()).url).toBe('http://settings.example');
  });

  it('in the environment before the settings, and in the flags before both', async () => {
    settings(FILE);
    setEnvironment({
      HOME: home,
      HARN_GATEWAY_URL: 'http://environment.example',
      HARN_GATEWAY_KEY: 'its key',
    });
    expect(await new Endpoints({}).find()).toEqual({ url: 'http://environment.example', key: 'its key' });
    const flags = { url: 'http://flag.example', keyFile: join(home, '.config', 'harn-gateway', 'key') };
    expect(await new Endpoints(flags).find()).toEqual({
      url: 'http://flag.example',
      key: 'key of the file',
    });
  });

  it.each([
    ['settings that are no JSON', '{"url": ', 'client.json is not JSON'],
    ['settings of other types', '{"url": 1}', 'client.json is not JSON with these texts'],
    ['settings that are no object', 'null', 'client.json is not JSON with these texts'],
    ['settings with something else as URL', '{"url": "localhost:8080"}', 'no http or https URL'],
    ['settings without a key', '{"url": "http://settings.example"}', 'No API key'],
    [
      'settings with a key that is not there',
      '{"url": "http://x.example", "key_file": "k"}',
      'harn-gateway/k of',
    ],
  ])('%s are a mistake that is named', async (_which, text, words) => {
    settings(text);
    await expect(new Endpoints({}).find()).rejects.toThrow(words);
  });

  it('a key file that is named from another directory is told by its whole path', async () => {
    const found = new Endpoints({ url: 'http://x.example', keyFile: 'keys/mine.key' }).find();
    await expect(found).rejects.toThrow(
      `The key file ${resolve('keys/mine.key')} of --key-file cannot be read: there is no such file. "keys/mine.key" is looked for from the working directory; give the whole path.`,
    );
  });
});
