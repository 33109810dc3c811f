import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CLOSE } from '#surfaces/ws/close-codes.ts';
import { CLIENT_FRAMES, serverFrame } from '#surfaces/ws/frames.ts';
import { WS_LIMITS } from '#surfaces/ws/limits.ts';
import { stageOf } from './stage.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const text = readFileSync(`${ROOT}/src/surfaces/ws/README.md`, 'utf8');
const stage = stageOf();

describe('the README of the WebSocket profile', () => {
  it('has an example that runs', async () => {
    const example = /```js\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
    const session = await stage.client.session();
    await stage.client.submit('ask', session.id);
    const child = spawn(process.execPath, ['--input-type=module', '-e', example], {
      cwd: ROOT,
      env: { HARN_GATEWAY_URL: stage.client.url, HARN_GATEWAY_KEY: stage.client.key, SESSION_ID: session.id },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.on('data', (chunk) => {
      printed += String(chunk);
    });
    const code = await new Promise((resolve) => child.once('exit', resolve));
    expect(code).toBe(0);
    expect(printed).toMatch(/^before: session\.created\n/);
    expect(printed).toMatch(/now: task\.completed\nnow: receipt\.issued\n$/);
  });

  it('lists every frame', () => {
    const listed = [...text.matchAll(/^\| `(\w+)` +\|/gm)].map(([, name]) => name);
    const served = serverFrame.options.map(({ shape }) => shape.type.value);
    expect(listed).toEqual([...Object.keys(CLIENT_FRAMES), ...served]);
  });

  it('lists every close code and the limits', () => {
    const listed = [...text.matchAll(/^\| (\d{4}) +\|/gm)].map(([, code]) => Number(code));
    expect(Object.values(CLOSE).filter((code) => !listed.includes(code))).toEqual([]);
    expect(WS_LIMITS).toMatchObject({ framesPerSecond: 200, frameBurst: 400, maxFragments: 256 });
    expect(WS_LIMITS.maxMessageBytes).toBe(1024 * 1024);
  });
});
