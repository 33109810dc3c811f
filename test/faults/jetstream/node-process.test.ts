import { existsSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as elapse } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NATS_SERVER, NatsServers, needsNats } from '../../harness/nats-servers.ts';
import { freePorts } from '../../harness/round-robin.ts';
import { killChildren, runProgram } from '../child-processes.ts';
import { GatewayPlace, type GatewayProcess } from '../gateway-process.ts';

const LIMIT_MS = 240_000;
const PARTITIONS = 2;
const LOGINS = 5;
const RELOADED = 'the configuration was reloaded';

/** None of a process that has ended. */
const childrenOf = (pid = 0): number[] => {
  const list = `/proc/${pid}/task/${pid}/children`;
  return existsSync(list) ? readFileSync(list, 'utf8').split(' ').filter(Boolean).map(Number) : [];
};

/** Whether SIGHUP, the first signal, does not end a process. */
const takesHangUps = (pid = 0): boolean => {
  const [, caught = '0'] = /^SigCgt:\s*(\w+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (BigInt(`0x${caught}`) & 1n) === 1n;
};

describe.skipIf(NATS_SERVER === undefined)(needsNats('a node with several partitions'), () => {
  let servers: NatsServers;
  let place: GatewayPlace;
  let node: GatewayProcess;
  beforeEach(async () => {
    servers = await NatsServers.start();
    const [port] = await freePorts(1);
    const advertise = `http://127.0.0.1:${port}`;
    const log = { kind: 'jetstream', servers: servers.urls, name: 'node', replicas: 1 };
    place = new GatewayPlace({
      server: { port },
      store: { ...log, partitions: PARTITIONS, advertise },
      limits: { drain_timeout_ms: 500, failed_logins_per_minute: LOGINS },
    });
  });
  afterEach(async () => {
    const gateways = childrenOf(node.child.process.pid);
    killChildren();
    // They end with their node, but not before they have tried for a while to tell the servers.
    for (const pid of gateways.filter((each) => existsSync(`/proc/${each}`))) process.kill(pid, 'SIGKILL');
    await servers.close();
    place.remove();
  });

  it(
    'reloads once it has started, when it is told so before',
    async () => {
      await servers.signal(0, 'SIGSTOP');
      node = place.launch();
      // As soon as it can: it has not even loaded what a gateway is made of.
      while (!takesHangUps(node.child.process.pid)) await elapse(1);
      node.child.process.kill('SIGHUP');
      // It has its keys, and asks the servers, which do not answer.
      while (!existsSync(join(place.data, 'keys'))) await elapse(20);
      node.child.process.kill('SIGHUP');
      await servers.signal(0, 'SIGCONT');
      await node.ready;
      while (node.child.stderr.split(RELOADED).length <= PARTITIONS) await elapse(20);
      expect(node.child.stderr).not.toContain('the gateway of a partition has ended');
      expect((await node.stop()).code).toBe(0);
    },
    LIMIT_MS,
  );

  it(
    'leaves a log of which one partition is accepted, by its name',
    async () => {
      node = await place.start();
      const accept = (command: string, ...flags: string[]) =>
        runProgram('log', command, '--config', place.config, '--reason', 'a copy', ...flags);
      const whileItRuns = await accept('accept-restore', '--partition', '0001');
      expect(whileItRuns).toMatchObject({ code: 4, stderr: expect.stringContaining('in use') });
      expect((await node.stop()).code).toBe(0);
      for (const command of ['accept-truncation', 'accept-restore']) {
        const unnamed = await accept(command);
        expect(unnamed.code).toBe(2);
        expect(unnamed.stderr).toContain('with --partition: 0000 to 0001 by store.partitions');
        const unknown = await accept(command, '--partition', '7');
        expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('7 is none of them') });
      }
      expect(await accept('accept-restore', '--partition', '0001')).toMatchObject({ code: 0, stderr: '' });
      const notes = async (data: string) =>
        (await runProgram('log', 'check', '--config', place.config, '--data', data)).stdout.split('note: ');
      expect(await notes(place.data)).toHaveLength(1);
      const [, note] = await notes(join(place.data, 'partitions', '0001'));
      expect(note).toMatch(/restored from a backup \(event 0001\d+\), because: a copy/);
      // It goes on from what was accepted.
      node = await place.start();
      expect((await node.stop()).code).toBe(0);
    },
    LIMIT_MS,
  );

  it(
    'counts bad credentials by the address of who sends them',
    async () => {
      node = await place.start();
      const { url } = node.client;
      const guess = (localAddress: string, headers: Record<string, string> = {}) =>
        new Promise<number | undefined>((resolve, reject) => {
          const sent = { ...headers, authorization: 'Bearer harn_live_nobody' };
          get(`${url}/v1/tasks`, { localAddress, headers: sent }, (answer) => {
            answer.resume();
            resolve(answer.statusCode);
          }).on('error', reject);
        });
      for (let n = 0; n < LOGINS; n += 1) expect(await guess('127.0.0.2')).toBe(401);
      expect(await guess('127.0.0.2')).toBe(429);
      expect(await guess('127.0.0.2', { 'harn-relayed-for': 'guessed 192.0.2.1' })).toBe(429);
      expect(await guess('127.0.0.3')).toBe(401);
    },
    LIMIT_MS,
  );

  it(
    'ends although one of its gateways is stuck',
    async () => {
      node = await place.start();
      const gateways = childrenOf(node.child.process.pid);
      expect(gateways).toHaveLength(PARTITIONS);
      const [stuck = 0] = gateways;
      process.kill(stuck, 'SIGSTOP');
      const { code, stderr } = await node.stop();
      expect(code).toBe(0);
      expect(stderr.split('is stuck and is killed')).toHaveLength(2);
      expect(() => process.kill(stuck, 0)).toThrow('ESRCH');
    },
    LIMIT_MS,
  );
});
