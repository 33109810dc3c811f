import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { filePath, origin } from '../shapes.ts';

export const store = z
  .strictObject({
    data: filePath.default('./data').describe('Directory of the event log; one gateway owns it at a time.'),
    kind: z
      .enum(['leveldb', 'jetstream'])
      .default('leveldb')
      .describe(
        'Where the log is: in this directory, or in a stream of NATS JetStream, of which this directory holds a copy to read.',
      ),
    servers: z
      .array(z.string().regex(/^(nats|tls):\/\/[^\s/@]+$/, 'must be nats://HOST:PORT or tls://HOST:PORT'))
      .default([])
      .describe('NATS servers with JetStream; for jetstream only, as all of the following.'),
    credentials: filePath
      .meta({ examples: ['./nats.creds'] })
      .describe('Credentials file of NATS, as nsc writes it. Without it none are sent.')
      .optional(),
    name: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,32}$/, 'must be 1 to 32 characters of A-Z, a-z, 0-9, "_" and "-"')
      .default('gateway')
      .describe('Names the log among others on these servers: gateways with the same name share it.'),
    replicas: z
      .union([z.literal(1), z.literal(3), z.literal(5)], { error: 'must be 1, 3 or 5' })
      .default(3)
      .describe('Servers that keep each commit; it is acknowledged once most of them have it.'),
    advertise: origin
      .meta({ examples: ['http://node-1.internal:8080'] })
      .describe(
        'Where the other nodes of this log reach this one. With it a node that does not decide serves too: it hands what it is asked on to the one that does. Without it, it waits before it listens.',
      )
      .optional(),
    partitions: z
      .literal(1, { error: 'must be 1: this version has one partition' })
      .default(1)
      .describe('Streams that the log is spread over.'),
    workspace_roots: z
      .array(z.string().refine((path) => isAbsolute(path), 'must be an absolute path'))
      .default([])
      .describe(
        'Directories under which workspace roots other than harn:// are served; such a root is a label elsewhere. Only the scope admin may create a workspace there.',
      ),
  })
  .refine(({ kind, servers }) => kind === 'leveldb' || servers.length > 0, {
    path: ['servers'],
    message: 'must name at least one server for kind jetstream',
  })
  .prefault({})
  .describe('Where durable data lives. Relative paths here and below start at the working directory.');
