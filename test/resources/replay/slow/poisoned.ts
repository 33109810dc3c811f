import childProcess from 'node:child_process';
import crypto from 'node:crypto';
import dns from 'node:dns';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import timers from 'node:timers';

type Poisonable = Record<string, unknown>;

/** Every way to the clock, to chance, to a timer, to the network and to a file that Node gives, by its owner. */
const POISONED: readonly (readonly [owner: object, names: readonly string[]])[] = [
  [Math, ['random']],
  [performance, ['now']],
  [process, ['hrtime', 'nextTick', 'cpuUsage']],
  [Date.prototype, ['getTimezoneOffset', 'getHours', 'getDate', 'getDay', 'toLocaleString', 'toString']],
  [
    globalThis,
    ['fetch', 'WebSocket', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'crypto'],
  ],
  [timers, ['setTimeout', 'setInterval', 'setImmediate']],
  [crypto, ['randomBytes', 'randomUUID', 'randomInt', 'randomFill', 'randomFillSync']],
  [Object.getPrototypeOf(crypto.webcrypto), ['getRandomValues', 'randomUUID']],
  [net, ['connect', 'createConnection', 'createServer']],
  [net.Socket.prototype, ['connect']],
  [dns, ['lookup', 'resolve', 'resolve4', 'resolve6']],
  [http, ['request', 'get']],
  [https, ['request', 'get']],
  [fs, ['readFileSync', 'writeFileSync', 'openSync', 'readFile', 'writeFile', 'open']],
  [childProcess, ['spawn', 'spawnSync', 'exec', 'execFile', 'fork']],
];

/** A Date that reads no clock; what is parsed from a text stays possible. */
function datesWithoutClock(): typeof Date {
  return new Proxy(Date, {
    apply: () => refuse('Date()'),
    construct: (target, args) => (args.length === 0 ? refuse('new Date()') : Reflect.construct(target, args)),
    get: (target, name, receiver) =>
      name === 'now' ? () => refuse('Date.now()') : Reflect.get(target, name, receiver),
  });
}

function refuse(what: string): never {
  throw new Error(`a replay asked for ${what}`);
}

/** Runs synchronous work while everything that is not in the log throws; nothing else of the process runs meanwhile. */
export function poisoned<Result>(work: () => Result): Result {
  const restore: (() => void)[] = [];
  const put = (owner: object, name: string, value: unknown) => {
    const before = Object.getOwnPropertyDescriptor(owner, name);
    Object.defineProperty(owner, name, { value, configurable: true, writable: true });
    restore.unshift(() =>
      before ? Object.defineProperty(owner, name, before) : delete (owner as Poisonable)[name],
    );
  };
  try {
    for (const [owner, names] of POISONED) for (const name of names) put(owner, name, () => refuse(name));
    put(globalThis, 'Date', datesWithoutClock());
    syncBuiltinESMExports();
    return work();
  } finally {
    for (const undo of restore) undo();
    syncBuiltinESMExports();
  }
}
