import { all, type Driver, driver03, driver10 } from './a2a-drivers.ts';

/** Clients whose words are recorded, by the beginning of the name of their recordings. */
export const RECORDED_CLIENTS: Readonly<
  Record<string, (url: string, fetchImpl: typeof fetch) => Promise<Driver>>
> = {
  'sdk-1.3-jsonrpc': (url, fetchImpl) => driver10(url, 'JSONRPC', fetchImpl),
  'sdk-1.3-rest': (url, fetchImpl) => driver10(url, 'HTTP+JSON', fetchImpl),
  'sdk-0.3.14': driver03,
};

/** What a client does with the sample agent behind a gateway, one request after the other. */
export const FACE_STORIES: Readonly<Record<string, (client: Driver) => Promise<unknown>>> = {
  async echo(client) {
    const { taskId } = await client.send('The quick brown fox');
    return client.get(taskId);
  },
  stream: (client) => all(client.stream('stream 3')),
  async message(client) {
    await client.send('hello');
    return all(client.stream('hello'));
  },
  file: (client) => client.send('file'),
  async ask(client) {
    const { taskId } = await client.send('ask');
    return all(client.stream('blue', taskId));
  },
  async login(client) {
    const { taskId } = await client.send('login');
    return client.send('done', taskId);
  },
  refuse: (client) => all(client.stream('refuse')),
  fail: (client) => client.send('fail'),
  async cancel(client) {
    const { taskId } = await client.send('ask');
    await client.cancel(taskId);
    return client.send('too late', taskId).catch(() => 'refused');
  },
  unknown: (client) => client.get('task_none').catch(() => 'not found'),
};
