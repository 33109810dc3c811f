import { expect, it } from 'vitest';
import type { SecretRef } from '../../../../bridges/bridge.ts';
import { childEnvironment, inheritedEnvironment } from '../../../../bridges/wire/child-environment.ts';

it('a child sees the variables that every program needs, and none of the gateway besides', () => {
  const needed = { PATH: '/bin', HOME: '/home/ann', LANG: 'C.UTF-8' };
  const own = { HARN_GATEWAY_KEY: 'k', AWS_SECRET_ACCESS_KEY: 's', NODE_OPTIONS: '--inspect', path: '/x' };
  expect(inheritedEnvironment({ ...needed, ...own, TZ: undefined })).toEqual(needed);
});

it('a child sees what its row gives it before what is inherited, secrets as they are now', () => {
  const given = { LANG: 'de_DE.UTF-8', TOKEN: { env: 'AGENT_TOKEN' } };
  const readSecret = (ref: SecretRef) => `read ${JSON.stringify(ref)}`;
  expect(childEnvironment(given, { PATH: '/bin', LANG: 'C.UTF-8' }, readSecret)).toEqual({
    PATH: '/bin',
    LANG: 'de_DE.UTF-8',
    TOKEN: 'read {"env":"AGENT_TOKEN"}',
  });
  expect(childEnvironment(undefined, { PATH: '/bin' }, readSecret)).toEqual({ PATH: '/bin' });
});
