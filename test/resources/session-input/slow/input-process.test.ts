import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLevelStore } from '#store/level-store.ts';
import { Child, type Output, PROGRAM } from '../../../faults/child-processes.ts';
import { GatewayPlace, GatewayProcess, KEY } from '../../../faults/gateway-process.ts';
import { CERT, KEY as TLS_KEY } from '../../../unit/surfaces/tls-fixture.ts';
import { startToolServer, type ToolServer } from '../tool-server.ts';

const TOKEN = 'canary plain words of the 1st token';
const SITE = 'canary-words-of-the-website';
const NOT_LATIN = 'canary 秘密の言葉です';
const SECRETS = [TOKEN, SITE, NOT_LATIN];

/** A command is a process, which takes seconds on a busy machine. */
const PATIENCE_MS = 180_000;

describe('a gateway process whose sessions get inputs', { timeout: PATIENCE_MS }, () => {
  let secure: ToolServer;
  let plain: ToolServer;
  let place: GatewayPlace;
  let gateway: GatewayProcess;
  const said: Output[] = [];

  const start = async () => {
    const trusted = join(place.folder, 'cert.pem');
    writeFileSync(trusted, CERT);
    const env = { XDG_STATE_HOME: place.state, NODE_EXTRA_CA_CERTS: trusted };
    gateway = new GatewayProcess([PROGRAM, 'serve', '--config', place.config], env);
    await gateway.ready;
    while (!(await gateway.client.call('GET', '/v1/skills')).text.includes('plain__deploy'))
      await new Promise((resolve) => setTimeout(resolve, 50));
    while (!(await gateway.client.call('GET', '/v1/skills')).text.includes('secure__deploy'))
      await new Promise((resolve) => setTimeout(resolve, 50));
  };
  beforeAll(async () => {
    const says = ({ token }: Record<string, unknown>) => `I was given ${String(token)}.`;
    secure = await startToolServer(says, { cert: CERT, key: TLS_KEY });
    plain = await startToolServer(says);
    const protocol = '2025-11-25';
    const inputs = () => ({ headers: { 'X-Site': 'SITE' }, arguments: { token: 'TOKEN' } });
    place = new GatewayPlace({
      upstreams: {
        mcp: [
          { id: 'secure', url: secure.url, protocol, inputs: inputs() },
          { id: 'plain', url: plain.url, protocol, inputs: inputs() },
        ],
      },
      telemetry: { log_level: 'debug' },
    });
    await start();
  }, PATIENCE_MS);
  afterAll(async () => {
    await gateway.kill();
    await secure.close();
    await plain.close();
    place.remove();
  });

  /** `harn-gateway session ...` in a process of its own. */
  async function cli(words: string[], stdin = ''): Promise<Output> {
    const child = new Child([PROGRAM, 'session', ...words, '--url', gateway.client.url, '--key', KEY]);
    child.process.stdin?.end(stdin);
    const output = await child.ended;
    said.push(output);
    return output;
  }
  const input = (verb: string, ...words: string[]) => cli(['input', verb, ...words]);
  const put = (id: string, name: string, value: string, ...flags: string[]) =>
    cli(['input', 'put', id, name, ...flags], `${value}\n`);
  async function deploy(sessionId: string, route: string, more: object = {}) {
    const value = { to: 'staging', ...more };
    const parts = [{ type: 'json', value, visibility: 'public' }];
    return gateway.client.post<{ id: string }>(`/v1/sessions/${sessionId}/tasks`, {
      input: { role: 'user', parts },
      metadata: { route: `skill:${route}__deploy` },
    });
  }

  it('takes them from the command line, and shows no secret of them', async () => {
    const { id } = await gateway.client.session();
    const first = await put(id, 'TOKEN', TOKEN);
    expect(first).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('TOKEN  secret    mcp:secure mcp:plain'),
    });
    expect(first.stdout).toContain('Kept in memory until the session ends or the gateway restarts');
    const again = await put(id, 'TOKEN', TOKEN);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('Send replace: true') });
    expect((await put(id, 'TOKEN', TOKEN, '--replace')).code).toBe(0);
    const short = await put(id, 'SHORT', 'short');
    expect(short).toMatchObject({ code: 1, stderr: expect.stringContaining('fewer than 8 characters') });
    const variable = await put(id, 'TARGET', 'staging', '--variable');
    expect(variable.stdout).toContain('TARGET  variable  no route  "staging"');
    expect(variable.stdout).toContain('Some of them no route takes');
    const listed = await input('list', id);
    expect(listed.stdout.split('\n').slice(0, 2)).toEqual([
      'TOKEN  secret    mcp:secure mcp:plain',
      'TARGET  variable  no route  "staging"',
    ]);
    const asJson = JSON.parse((await input('list', id, '--json')).stdout) as { inputs: object[] };
    expect(asJson.inputs).toMatchObject([{ name: 'TOKEN' }, { name: 'TARGET', value: 'staging' }]);
    const task = await deploy(id, 'plain');
    await gateway.client.until(task.id, 'COMPLETED');
    expect(plain.calls.at(-1)?.params.arguments).toEqual({ to: 'staging', token: TOKEN });
    expect((await input('remove', id, 'TOKEN')).stdout).toContain('Removed.');
    expect((await input('remove', id, 'TOKEN')).stdout).toContain('There was none of this name.');
    const without = await deploy(id, 'plain');
    expect(await gateway.client.until(without.id, 'FAILED')).toMatchObject({
      failure: { message: expect.stringContaining('session input TOKEN, which this session has not') },
    });
    expect(plain.calls).toHaveLength(1);
    const nobody = await input('list', 'session_00000000000000000000000000');
    expect(nobody).toMatchObject({ code: 1, stderr: expect.stringContaining('No session') });
  });

  it('sends what is for websites to their origins, and nowhere else', async () => {
    const { id } = await gateway.client.session();
    await put(id, 'TOKEN', TOKEN);
    const usage = { kind: 'websites', origins: [secure.origin] };
    const body = { kind: 'put', spec: { name: 'SITE', usage }, value: SITE };
    expect((await gateway.client.call('POST', `/v1/sessions/${id}/inputs`, { body })).status).toBe(200);
    for (const route of ['secure', 'plain'])
      await gateway.client.until((await deploy(id, route)).id, 'COMPLETED');
    expect(secure.calls.at(-1)?.headers['x-site']).toBe(SITE);
    expect(plain.calls.at(-1)?.headers['x-site']).toBeUndefined();
    const elsewhere = { kind: 'websites', origins: ['https://127.0.0.1:1'] };
    await gateway.client.call('POST', `/v1/sessions/${id}/inputs`, {
      body: { ...body, spec: { name: 'SITE', usage: elsewhere }, replace: true },
    });
    await gateway.client.until((await deploy(id, 'secure')).id, 'COMPLETED');
    expect(secure.calls.at(-1)?.headers['x-site']).toBeUndefined();
  });

  it('says of a value that no header can carry which one it is', async () => {
    const { id } = await gateway.client.session();
    await put(id, 'TOKEN', TOKEN);
    await put(id, 'SITE', NOT_LATIN);
    const before = plain.calls.length;
    const task = await deploy(id, 'plain');
    const failed = await gateway.client.until(task.id, 'FAILED');
    expect(failed).toMatchObject({
      failure: {
        code: 'upstream_unavailable',
        message: expect.stringContaining('The session input SITE has'),
      },
    });
    expect(plain.calls).toHaveLength(before);
  });

  it('forgets them when it is killed, and has left none of their secrets anywhere', async () => {
    const { id } = await gateway.client.session();
    await put(id, 'TOKEN', TOKEN);
    await gateway.client.until((await deploy(id, 'plain')).id, 'COMPLETED');
    const before = await gateway.kill();
    await start();
    expect((await input('list', id)).stdout).not.toContain('TOKEN');
    const task = await deploy(id, 'plain');
    await gateway.client.until(task.id, 'FAILED');
    const after = await gateway.kill();
    const texts = [before, after, ...said].flatMap(({ stdout, stderr }) => [stdout, stderr]);
    texts.push(...(await rowsOf(join(place.data, 'store'))));
    expect(texts.some((text) => text.includes('redacted:known_secret'))).toBe(true);
    for (const secret of SECRETS) expect(texts.filter((text) => text.includes(secret))).toEqual([]);
    await start();
  });

  it('lists who works in a session, and hands control over, on the command line', async () => {
    const { id } = await gateway.client.session();
    expect(await cli(['clients', id])).toMatchObject({ code: 0, stdout: '' });
    const body = { client_id: 'script', mode: 'controller', metadata: { of: 'a test' } };
    await gateway.client.post(`/v1/sessions/${id}/attach`, body);
    const listed = await cli(['clients', id]);
    expect(listed.stdout).toMatch(/^CLIENT .*\nscript {2}controller {2}2\S+Z {2}\{"of":"a test"\}\n$/);
    const taken = await cli(['clients', id, '--takeover', 'phone']);
    expect(taken.stdout.split('\n').map((line) => line.split(/ +/).slice(0, 2))).toEqual([
      ['CLIENT', 'MODE'],
      ['phone', 'controller'],
      ['script', 'observer'],
      [''],
    ]);
    const left = await cli(['clients', id, '--detach', 'phone', '--json']);
    expect(
      left.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ client_id: 'script', mode: 'observer' }]);
    const again = await cli(['clients', id, '--detach', 'phone']);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('Attach it first') });
  });
});

/** Every row as LevelDB holds it, before compression. */
async function rowsOf(path: string): Promise<string[]> {
  const store = await openLevelStore({ path });
  const rows: string[] = [];
  for await (const page of store.entries({ gte: '', lt: '~' }))
    for (const [key, value] of page) rows.push(`${key} ${value.toString('latin1')}`);
  await store.close();
  return rows;
}
