import { z } from 'zod';
import { DEFAULT_VERSION, SUPPORTED_VERSIONS } from '#protocol/versions.ts';
import { addressRange, filePath, host, origin, port, webUrl } from '../shapes.ts';

const tls = z.strictObject({
  cert: filePath
    .describe('PEM file with the certificate and its chain.')
    .meta({ examples: ['./tls/cert.pem'] }),
  key: filePath.describe('PEM file with the private key.').meta({ examples: ['./tls/key.pem'] }),
  client_certificates: z
    .boolean()
    .default(false)
    .describe(
      'Ask clients for a certificate, for access tokens that are bound to one (RFC 8705). None has to have one.',
    ),
});

const publicUrl = z.string().refine((text) => {
  const url = webUrl(text);
  return url !== undefined && url.pathname === '/' && url.search === '';
}, 'must be an http or https URL without path, query, fragment or user info');

const grpc = z.strictObject({
  host: host
    .optional()
    .describe('Address to listen on. Unset: that of server.host.')
    .meta({ examples: ['127.0.0.1'] }),
  port: port
    .describe(
      'Port to listen on, not that of server.port; 0 takes any free port, but not with several partitions.',
    )
    .meta({ examples: [8081] }),
  public_address: z
    .string()
    .regex(/^(?:[a-z0-9][a-z0-9.-]*|\[[0-9a-f:]+\]):[1-9]\d{0,4}$/i, 'must be a host name and a port')
    .optional()
    .describe(
      'Host and port that clients use, put into cards. Unset: the host of server.public_url, and the port listened on.',
    )
    .meta({ examples: ['gateway.example.com:443'] }),
  tls: z
    .strictObject({
      client_ca: filePath
        .optional()
        .describe(
          'PEM file with who signs the certificates that clients have to show. Unset: none is asked for.',
        )
        .meta({ examples: ['./tls/clients.pem'] }),
    })
    .optional()
    .describe('More than server.tls, whose certificate serves gRPC too.'),
});

/** Bindings and versions of A2A, as cards list them. */
const A2A_INTERFACES = [
  'jsonrpc-1.0',
  'http+json-1.0',
  'jsonrpc-0.3',
  'http+json-0.3',
  'grpc-1.0',
  'grpc-0.3',
] as const;

export const server = z
  .strictObject({
    host: host
      .default('127.0.0.1')
      .describe(
        'Address to listen on. Off loopback needs a configured key, and tls, trusted_proxies or insecure.',
      ),
    port: port.default(8080).describe('Port to listen on; 0 takes any free port.'),
    public_url: publicUrl
      .optional()
      .describe('URL that clients use, put into cards and links. Unset: the address listened on.')
      .meta({ examples: ['https://gateway.example.com'] }),
    tls: tls.optional().describe('Serve HTTPS with this certificate. Unset: plain HTTP.'),
    grpc: grpc.optional().describe('Serve A2A over gRPC, on a port of its own. Unset: gRPC is not served.'),
    a2a_preferred: z
      .array(z.enum(A2A_INTERFACES))
      .default([])
      .describe(
        'Interfaces that cards list before all others: jsonrpc-1.0, http+json-1.0, jsonrpc-0.3, http+json-0.3, grpc-1.0, grpc-0.3. What is not served is left out.',
      ),
    allowed_hosts: z
      .array(z.string().regex(/^[^\s/]+$/, 'must be a host name, with a port when it is not the usual one'))
      .default([])
      .describe('Values of the Host header accepted besides the own address and public_url.'),
    allowed_origins: z
      .array(origin)
      .default([])
      .describe('Origins of browser pages that may call the gateway; none by default.'),
    trusted_proxies: z
      .array(addressRange)
      .default([])
      .describe(
        'Address ranges of proxies that end TLS; only their X-Forwarded-Proto is believed, and nothing else that says who called.',
      ),
    drafts: z
      .array(z.enum(['acp-v2']))
      .default([])
      .describe(
        'Drafts of protocols to offer beside the stable versions: acp-v2. They may change with every release.',
      ),
    default_protocol_version: z
      .enum(SUPPORTED_VERSIONS)
      .default(DEFAULT_VERSION)
      .describe(
        'Version in which public documents speak to a reader that names none: /v1, /version, /v1/agent-card, /openapi.json. All other requests name theirs.',
      ),
    insecure: z
      .boolean()
      .default(false)
      .describe('Allow plain HTTP off loopback. For closed test networks only.'),
  })
  .prefault({})
  .describe('Where and how the gateway listens.');
