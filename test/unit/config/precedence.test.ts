import { describe, expect, it } from 'vitest';
import { load, onlyFault } from './config-harness.ts';

const yaml = 'server:\n  host: 127.0.0.2\n  port: 1000\nstore:\n  data: /from/file\n';
const env = { HARN_GATEWAY_HOST: '127.0.0.3', HARN_GATEWAY_PORT: '2000', HARN_GATEWAY_DATA: '/from/env' };
const flags = { host: '127.0.0.4', port: '3000', data: '/from/flag' };

describe('precedence of flags, environment, file and defaults', () => {
  it('starts from the defaults of the contract without file, environment and flags', () => {
    const { server, store } = load();
    expect([server.host, server.port, store.data]).toEqual(['127.0.0.1', 8080, '/srv/gateway/data']);
  });

  it('lets the file beat the defaults', () => {
    const { server, store } = load({ yaml });
    expect([server.host, server.port, store.data]).toEqual(['127.0.0.2', 1000, '/from/file']);
  });

  it('lets the environment beat the file', () => {
    const { server, store } = load({ yaml, env });
    expect([server.host, server.port, store.data]).toEqual(['127.0.0.3', 2000, '/from/env']);
  });

  it('lets flags beat the environment', () => {
    const { server, store } = load({ yaml, env, flags });
    expect([server.host, server.port, store.data]).toEqual(['127.0.0.4', 3000, '/from/flag']);
  });

  it('takes an empty variable for an unset one', () => {
    expect(load({ env: { HARN_GATEWAY_PORT: '', HARN_GATEWAY_CONFIG: '' } }).server.port).toBe(8080);
  });

  it('accepts port 0 from the environment', () => {
    expect(load({ env: { HARN_GATEWAY_PORT: '0' } }).server.port).toBe(0);
  });

  it.each(['', '-1', '65536', '80a', '1e3', ' 80'])('refuses the port flag %j and names the flag', (port) => {
    expect(onlyFault({ flags: { port } })).toBe('--port: must be a whole number from 0 to 65535');
  });

  it('names the variable of a faulty value', () => {
    expect(onlyFault({ env: { HARN_GATEWAY_PORT: 'many' } })).toMatch(/^HARN_GATEWAY_PORT: /);
    expect(onlyFault({ env: { HARN_GATEWAY_ADVERTISE: 'node-1' } })).toMatch(
      /^HARN_GATEWAY_ADVERTISE: must be/,
    );
    expect(onlyFault({ flags: { advertise: 'http://node-1' } })).toMatch(
      /^store\.advertise: needs store\.kind/,
    );
    expect(onlyFault({ env: { HARN_GATEWAY_HOST: 'http://x' } })).toMatch(
      /^HARN_GATEWAY_HOST: must be an IP/,
    );
  });

  it('reads the file named by --config instead of the one in HARN_GATEWAY_CONFIG, relative to the working directory', () => {
    const files = { '/srv/gateway/a.yaml': 'server: {port: 1}', '/srv/gateway/b.yaml': 'server: {port: 2}' };
    const fromEnv = load({ files, env: { HARN_GATEWAY_CONFIG: 'a.yaml' } });
    const fromFlag = load({ files, env: { HARN_GATEWAY_CONFIG: 'a.yaml' }, flags: { config: './b.yaml' } });
    expect([fromEnv.server.port, fromFlag.server.port, fromFlag.file]).toEqual([1, 2, '/srv/gateway/b.yaml']);
  });

  it('refuses a file that is named and absent, and does without the default one', () => {
    expect(onlyFault({ flags: { config: 'gone.yaml' } })).toBe(': does not exist');
    expect(load().file).toBeUndefined();
  });
});
