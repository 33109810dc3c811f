import { expect, it } from 'vitest';
import { inheritedEnvironment } from '../../../../bridges/wire/child.ts';

it('a child sees the variables that every program needs, and none of the gateway besides', () => {
  const needed = { PATH: '/bin', HOME: '/home/ann', LANG: 'C.UTF-8' };
  const own = { HARN_GATEWAY_KEY: 'k', AWS_SECRET_ACCESS_KEY: 's', NODE_OPTIONS: '--inspect', path: '/x' };
  expect(inheritedEnvironment({ ...needed, ...own, TZ: undefined })).toEqual(needed);
});
