import { spawn, spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { logsTo } from '#cli/log-lines.ts';
import { program } from '#cli/program.ts';
import { PROGRAM } from '../faults/child-processes.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import type { Peer } from '../harness/peers/peer.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';
import { runCommand, type Said } from './command-line.ts';

const hasPython = spawnSync('python3', ['-c', 'import pty']).status === 0;

/** A terminal of 100 by 30, made by python's pty: prints what the command writes; `size` and `key` arrive after a while. */
const PTY = `
import fcntl, os, pty, select, signal, struct, sys, termios, time
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
size = lambda rows, columns: fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
size(30, 100)
before = termios.tcgetattr(fd)[3]
steps = [tuple(step.split('=')) for step in sys.argv[1].split(',') if step]
looks, out, end = 0, b'', time.time() + 40
while time.time() < end:
    if select.select([fd], [], [], 0.1)[0]:
        try: piece = os.read(fd, 65536)
        except OSError: break
        if not piece: break
        out += piece
    if steps and out.count(b'running') > looks:
        looks = out.count(b'running')
        kind, value = steps.pop(0)
        if kind == 'size': size(*map(int, value.split('x')))
        else: os.write(fd, bytes.fromhex(value))
after = termios.tcgetattr(fd)[3]
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
sys.stdout.buffer.write(out)
sys.stderr.write(f'code={code} same={before == after}')
`;

/** Styles that the gateway itself writes. */
const OUR_STYLES = new RegExp(`${String.fromCharCode(27)}\\[(1|2|22|3\\d|39)m`, 'g');

describe('command line: terminals', () => {
  let agent: Peer;
  let gateway: TestGateway;
  beforeAll(async () => {
    agent = await startSampleAgent();
    gateway = await startTestGateway({
      config: { upstreams: { a2a: [{ id: 'sample', card: agent.cardUrl }] } },
    });
  });
  afterAll(async () => {
    await gateway.close();
    await agent.close();
    vi.unstubAllEnvs();
  });

  const connection = () => ['--url', gateway.url, '--key', gateway.client.key];
  const run = (...args: string[]): Promise<Said> => runCommand([...args, ...connection()]);

  /** Runs a command in a terminal. Steps: `size=ROWSxCOLUMNS` and `key=HEX`, one behind each drawing. */
  async function inTerminal(steps: string, args: readonly string[], env: Record<string, string> = {}) {
    const { NO_COLOR: _, FORCE_COLOR: __, ...rest } = process.env;
    const child = spawn('python3', ['-c', PTY, steps, process.execPath, PROGRAM, ...args, ...connection()], {
      env: { ...rest, TERM: 'xterm-256color', ...env },
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (text: Buffer) => {
      out += text.toString();
    });
    child.stderr.on('data', (text: Buffer) => {
      err += text.toString();
    });
    await new Promise((resolve) => child.once('close', resolve));
    return { out, err };
  }

  it('every command takes --json, but those that speak a protocol, run a shell or have a secret to print', () => {
    const without: string[] = [];
    const look = (command: ReturnType<typeof program>, path: string): void => {
      const runs = command.commands.length === 0 || command.registeredArguments.length > 0;
      if (runs && !command.options.some(({ long }) => long === '--json')) without.push(path);
      for (const below of command.commands) look(below, `${path} ${below.name()}`.trim());
    };
    look(program(), '');
    expect(without).toEqual(['acp', 'mcp', 'completion']);
  });

  it('tables have headings, and columns that stand below each other', async () => {
    const task = await gateway.client.submit('hello');
    await gateway.client.until(task.id, 'COMPLETED');
    const other = await gateway.client.submit('fail');
    await gateway.client.until(other.id, 'FAILED');
    const [headings = '', ...rows] = (await run('task', 'list', '--limit', '2')).out.trimEnd().split('\n');
    expect(headings.split(/ {2,}/)).toEqual([
      'ID',
      'STATUS',
      'CREATED',
      'AGENT',
      'SESSION',
      'INPUT',
      'FAILURE',
    ]);
    const at = headings.indexOf('STATUS');
    expect(rows.map((row) => row.slice(at).split(' ')[0])).toEqual(['FAILED', 'COMPLETED']);
    expect(rows[0]?.slice(headings.indexOf('FAILURE'))).toContain('runtime_error');
  });

  it('top --once says what runs, what is queued and what waits, to people and to programs', async () => {
    const asks = await gateway.client.submit('ask');
    await gateway.client.until(asks.id, 'INPUT_REQUIRED');
    const slow = await gateway.client.submit('slow 30');
    await gateway.client.until(slow.id, 'WORKING');
    const look = JSON.parse((await run('top', '--once', '--json')).out);
    expect(look).toMatchObject({ url: gateway.url, ready: true, running: 1, queued: 0, approvals: 1 });
    expect(look.tasks).toEqual([expect.objectContaining({ id: slow.id, input: 'slow 30' })]);
    expect(look.waiting).toEqual([expect.objectContaining({ task_id: asks.id, kind: 'elicitation' })]);
    expect(look.throughput).toMatchObject({ failed: 1, tasks_per_s: null });
    const { out } = await run('top', '--once');
    expect(out).toContain('running 1  queued 0  approvals 1  ended 2 (1 failed)');
    expect(out).toContain(slow.id);
    await gateway.client.post(`/v1/tasks/${slow.id}/cancel`, {});
    const gone = await runCommand(['top', '--once', '--json', '--url', 'http://127.0.0.1:1', '--key', 'k']);
    expect([gone.code, JSON.parse(gone.out)]).toEqual([
      1,
      expect.objectContaining({ ready: false, running: null }),
    ]);
    const wrong = await run('top', '--interval', '0');
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('--interval')]);
  });

  it('top prints a line per look without a terminal, and an object per look with --json', async () => {
    for (const more of [[], ['--json']]) {
      const args = ['top', '--interval', '0.2', ...more];
      const child = spawn(process.execPath, [PROGRAM, ...args, ...connection()], { stdio: 'pipe' });
      let out = '';
      await new Promise<void>((resolve) => {
        child.stdout.on('data', (text: Buffer) => {
          out += text.toString();
          if (out.split('\n').length === 4) child.kill('SIGINT');
        });
        child.once('close', () => resolve());
      });
      expect(child.exitCode).toBe(0);
      expect(out).not.toContain('\x1b');
      const lines = out.trimEnd().split('\n');
      if (more.length > 0) expect(lines.map((line) => JSON.parse(line).ready)).not.toContain(false);
      else expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d {2}ready {2}running \d+ {2}queued 0/);
    }
  });

  it.skipIf(!hasPython)(
    'top draws in a terminal, follows its size, and gives it back at Ctrl-C and at q',
    async () => {
      for (const key of ['03', '71']) {
        const { out, err } = await inTerminal(`size=3x60,key=${key}`, ['top', '--interval', '0.2']);
        expect(err).toBe('code=0 same=True');
        expect(out.startsWith('\x1b[?1049h')).toBe(true);
        expect(out.trimEnd().endsWith('\x1b[?7h\x1b[?25h\x1b[?1049l')).toBe(true);
        expect(out.slice(out.indexOf('\x1b[?1049h') + 8)).not.toContain('\x1b[2J');
        const drawn = out.split('\x1b[?2026h').slice(1);
        const small = drawn.at(-1) ?? '';
        expect(small.split('\r\n').length).toBeLessThanOrEqual(3);
        expect(small).toContain('…');
        expect(drawn[0]).toContain(gateway.url);
      }
    },
  );

  it.skipIf(!hasPython)('session show has colours in a terminal, and none with NO_COLOR', async () => {
    const task = await gateway.client.submit('stream 2');
    await gateway.client.until(task.id, 'COMPLETED');
    const args = ['session', 'show', task.session_id];
    expect((await inTerminal('', args)).out).toContain('\x1b[1muser\x1b[22m');
    expect((await inTerminal('', args, { NO_COLOR: '1' })).out).not.toContain('\x1b');
    expect((await inTerminal('', args, { NO_COLOR: '1', FORCE_COLOR: '1' })).out).toContain('\x1b[1m');
    expect((await inTerminal('', args, { TERM: 'dumb' })).out).not.toContain('\x1b');
  });

  it('session show prints who said what, artifacts and how the task ended, and --json all of it', async () => {
    vi.stubEnv('FORCE_COLOR', undefined);
    const task = await gateway.client.submit('stream 2');
    await gateway.client.until(task.id, 'COMPLETED');
    const { out } = await run('session', 'show', task.session_id);
    expect(out).toMatch(new RegExp(`^${task.session_id}  IDLE  workspace_default`));
    expect(out).toMatch(/\nuser .*\n {2}stream 2\n/);
    expect(out).toMatch(/\nagent.*\n {2}Streaming 2 chunks\./);
    expect(out).toContain('chunk 2 of 2');
    expect(out).toContain(`task ${task.id} COMPLETED`);
    expect(out).not.toContain('\x1b');
    const { session, transcript } = JSON.parse((await run('session', 'show', task.session_id, '--json')).out);
    expect([session.id, transcript._type]).toEqual([task.session_id, 'transcript']);
    vi.stubEnv('FORCE_COLOR', '1');
    expect((await run('session', 'show', task.session_id)).out).toContain('\x1b[1m');
    vi.unstubAllEnvs();
  });

  it('what an agent says cannot drive the terminal, nor look like another line', async () => {
    const hostile = '\x1b[2J\x1b]0;gone\x07\u009b31m\rover\u202ereversed\nuser (operator)';
    const task = await gateway.client.submit(hostile);
    await gateway.client.until(task.id, 'COMPLETED');
    vi.stubEnv('FORCE_COLOR', '1');
    for (const args of [
      ['session', 'show', task.session_id],
      ['task', 'list', '--limit', '1'],
      ['top', '--once'],
    ]) {
      const { out } = await run(...args);
      const plain = out.replaceAll(OUR_STYLES, '');
      expect(plain).not.toMatch(/(?![\n])[\p{Cc}\u202e]/u);
      expect(plain).not.toMatch(/^user \(operator\)/m);
    }
    expect((await run('session', 'show', task.session_id)).out).toContain(
      '\\x1b[2J\\x1b]0;gone\\x07\\x9b31m\\x0dover\\u202ereversed',
    );
    vi.unstubAllEnvs();
  });

  it('logs are lines for people on a terminal, and JSON lines elsewhere', () => {
    vi.stubEnv('NO_COLOR', '1');
    vi.stubEnv('FORCE_COLOR', undefined);
    const line = `${JSON.stringify({ level: 'warn', time: '2026-01-02T03:04:05.000Z', task_id: 'task_1', err: { type: 'Error', message: 'no \x1b[2J', stack: 'Error: no\n    at x' }, msg: 'not sent' })}\n`;
    const written = (stream: { isTTY?: boolean }, isJson?: boolean) => {
      let text = '';
      const write = (piece: string) => {
        text += piece;
      };
      logsTo({ ...stream, write }, isJson).write(line);
      return text;
    };
    expect(written({})).toBe(line);
    expect(written({ isTTY: true }, true)).toBe(line);
    expect(written({ isTTY: true })).toMatch(
      /^\d\d:\d\d:05 warn {2}not sent {2}task_id=task_1 {2}error="no \\u001b\[2J" {2}type=Error\n {4}at x\n$/,
    );
    vi.unstubAllEnvs();
  });
});
