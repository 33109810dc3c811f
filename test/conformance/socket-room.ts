import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { afterEach, expect } from 'vitest';
import { asyncApiCheck } from '../harness/asyncapi-check.ts';
import type { TestClient } from '../harness/client.ts';
import { type ServerFrame, type WsOptions, WsTestClient } from '../harness/ws-client.ts';
import type { Stage } from './stage.ts';

interface FrameSchemas {
  client: ValidateFunction;
  server: ValidateFunction;
}

/** The sockets of the tests of one file; after each test their frames are held against the served JSON Schemas. */
export class SocketRoom {
  readonly #stage: Stage;
  readonly #open: WsTestClient[] = [];
  #compiled: FrameSchemas | undefined;

  constructor(stage: Stage) {
    this.#stage = stage;
    afterEach(() => this.#leave());
  }

  async enter(path = '/v1/ws', options: WsOptions = {}, as: TestClient = this.#stage.client) {
    const socket = await WsTestClient.open(as.url, path, { key: as.key, ...options });
    this.#open.push(socket);
    return socket;
  }

  async #leave(): Promise<void> {
    const sockets = this.#open.splice(0);
    for (const { socket } of sockets) socket.terminate();
    const { client, server } = await this.#schemas();
    expect(sockets.flatMap(({ sent }) => misfits(client, sent))).toEqual([]);
    expect(sockets.flatMap(({ frames }) => misfits(server, frames))).toEqual([]);
    expect(sockets.flatMap(({ frames }) => frames.flatMap(asyncApiFindings))).toEqual([]);
  }

  async #schemas(): Promise<FrameSchemas> {
    this.#compiled ??= compile((await this.#stage.client.call('GET', '/openapi.json')).body);
    return this.#compiled;
  }
}

/** A frame is a message of the AsyncAPI document, and the Event in it too. */
function asyncApiFindings(frame: ServerFrame): string[] {
  const check = asyncApiCheck();
  return [
    ...check.of(`server.${frame.type}`, frame),
    ...(frame.event === undefined ? [] : check.ofEvent(frame.event)),
  ];
}

function misfits(validate: ValidateFunction, frames: readonly object[]): object[] {
  return frames.filter((frame) => !validate(frame));
}

function compile(document: object): FrameSchemas {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'document');
  const named = (name: string) => ajv.compile({ $ref: `document#/components/schemas/${name}` });
  return { client: named('WsClientFrame'), server: named('WsServerFrame') };
}
