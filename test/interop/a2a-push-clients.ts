import { TaskPushNotificationConfig } from '@a2a-js/sdk';
import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import {
  ClientFactory as ClientFactory03,
  ClientFactoryOptions as ClientFactoryOptions03,
  DefaultAgentCardResolver as DefaultAgentCardResolver03,
  JsonRpcTransportFactory as JsonRpcTransportFactory03,
} from 'a2a03/client';

/** A push config as its client was told of it, by each method in turn; the last list is the one after the delete. */
export interface PushRound {
  made: string;
  read: string;
  listed: string[];
  left: string[];
}

/** Creates, reads, lists and deletes a push config of a task with a real client. */
export type PushClient = (url: string, fetchImpl: typeof fetch, taskId: string) => Promise<PushRound>;

const NAME = 'mine';
/** Nothing is sent there: the config is deleted before its task moves. */
const RECEIVER = 'http://127.0.0.1:9/hook';

export const push10 =
  (binding: 'JSONRPC' | 'HTTP+JSON'): PushClient =>
  async (url, fetchImpl, taskId) => {
    const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })],
      preferredTransports: [binding],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
    });
    const client = await new ClientFactory(options).createFromUrl(url);
    const named = { tenant: '', taskId, id: NAME };
    const list = async () => {
      const request = { tenant: '', taskId, pageSize: 10, pageToken: '' };
      return (await client.listTaskPushNotificationConfig(request)).configs.map(({ id }) => id);
    };
    const config = TaskPushNotificationConfig.fromJSON({ taskId, id: NAME, url: RECEIVER });
    const made = await client.createTaskPushNotificationConfig(config);
    const read = await client.getTaskPushNotificationConfig(named);
    const listed = await list();
    await client.deleteTaskPushNotificationConfig(named);
    return { made: made.url, read: read.url, listed, left: await list() };
  };

export const push03: PushClient = async (url, fetchImpl, taskId) => {
  const options = ClientFactoryOptions03.createFrom(ClientFactoryOptions03.default, {
    transports: [new JsonRpcTransportFactory03({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver03({ fetchImpl }),
  });
  const client = await new ClientFactory03(options).createFromUrl(url);
  const named = { id: taskId, pushNotificationConfigId: NAME };
  const list = async () => {
    const configs = await client.listTaskPushNotificationConfig({ id: taskId });
    return configs.map(({ pushNotificationConfig }) => pushNotificationConfig.id ?? '');
  };
  const pushNotificationConfig = { id: NAME, url: RECEIVER };
  const made = await client.setTaskPushNotificationConfig({ taskId, pushNotificationConfig });
  const read = await client.getTaskPushNotificationConfig(named);
  const listed = await list();
  await client.deleteTaskPushNotificationConfig(named);
  const urlOf = (told: typeof made) => told.pushNotificationConfig.url;
  return { made: urlOf(made), read: urlOf(read), listed, left: await list() };
};
