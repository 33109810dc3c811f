import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { filePath, operatorId, origin } from '../shapes.ts';

/** Each is a process on every node. */
const MAX_PARTITIONS = 64;

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
    durability: z
      .enum(['replicas', 'disk'])
      .default('replicas')
      .describe(
        'What an acknowledged commit outlives: the loss of a minority of the replicas, or a loss of power of all of them too. The second needs servers with sync_interval: always; "harn-gateway doctor" checks it.',
      ),
    monitoring: z
      .array(origin)
      .default([])
      .meta({ examples: [['http://nats-1.internal:8222']] })
      .describe(
        'Monitoring addresses of these servers, which doctor asks how they keep messages. The gateway needs none.',
      ),
    advertise: origin
      .meta({ examples: ['http://node-1.internal:8080'] })
      .describe(
        'Where the other nodes of this log reach this one. With it a node that does not decide serves too: it hands what it is asked on to the one that does. Without it, it waits before it listens.',
      )
      .optional(),
    partitions: z
      .int('must be a whole number')
      .min(1, 'must be 1 or more')
      .max(MAX_PARTITIONS, `must be ${MAX_PARTITIONS} or less`)
      .default(1)
      .describe(
        'Streams that the log is spread over by tenants; each has a gateway process of its own on every node. More can be added later, none can be taken away.',
      ),
    placement: z
      .record(operatorId, z.int().min(0))
      .default({})
      .meta({ examples: [{ tenant_acme: 1 }] })
      .describe(
        'Partitions, from 0, of tenants that have none yet. One that is not named gets a partition with the fewest tenants; each keeps its own.',
      ),
    serves: z
      .array(z.int().min(0))
      .min(1, 'must name at least one partition')
      .optional()
      .meta({ examples: [[0]] })
      .describe(
        'Partitions, from 0, of which this node has a gateway. Each wants two nodes or more that do; a node hands calls for the others on. Unset: all.',
      ),
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
  .refine(({ kind, partitions }) => kind === 'jetstream' || partitions === 1, {
    path: ['partitions'],
    message: 'must be 1 for kind leveldb',
  })
  .refine(
    ({ kind, advertise, partitions }) => kind === 'leveldb' || partitions === 1 || advertise !== undefined,
    {
      path: ['advertise'],
      message: 'must say where the other nodes reach this one where store.partitions is more than 1',
    },
  )
  .superRefine(({ partitions, placement, serves = [] }, context) => {
    const message = `must be less than store.partitions, which is ${partitions}`;
    for (const [at, partition] of serves.entries())
      if (partition >= partitions) context.addIssue({ code: 'custom', path: ['serves', at], message });
    for (const [tenant, partition] of Object.entries(placement))
      if (partition >= partitions) context.addIssue({ code: 'custom', path: ['placement', tenant], message });
  })
  .prefault({})
  .describe('Where durable data lives. Relative paths here and below start at the working directory.');
