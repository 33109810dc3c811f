/** Bounds of the HTTP surface; the config section `limits` gives the values. See src/surfaces/README.md, Bounds. */
export interface HttpLimits {
  /** Largest JSON body; more is 413. */
  maxBodyBytes: number;
  /** Deepest nesting of a JSON body. */
  maxJsonDepth: number;
  /** Largest raw upload. */
  maxArtifactBytes: number;
  /** Largest session bundle. */
  maxBundleBytes: number;
  /** Largest header block; more is 413. */
  maxHeaderBytes: number;
  /** Most headers of a request; more is 413. */
  maxHeaders: number;
  headersTimeoutMs: number;
  /** Time for a client to send its whole request; slower is 400. */
  requestTimeoutMs: number;
  keepAliveTimeoutMs: number;
  maxRequestsPerConnection: number;
  maxConnections: number;
  /** Bad credentials of one address in a minute; more are 429. */
  failedLoginsPerMinute: number;
  /** Open event streams; more are 503. */
  maxStreams: number;
  /** Unsent bytes at which a slow stream is closed; its client resumes. */
  streamBufferBytes: number;
  /** Silence after which a stream gets a heartbeat. */
  heartbeatIntervalMs: number;
}

export const DEFAULT_HTTP_LIMITS: HttpLimits = {
  maxBodyBytes: 4 * 1024 * 1024,
  maxJsonDepth: 64,
  maxArtifactBytes: 64 * 1024 * 1024,
  maxBundleBytes: 256 * 1024 * 1024,
  maxHeaderBytes: 16 * 1024,
  maxHeaders: 100,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 5_000,
  maxRequestsPerConnection: 1_000,
  maxConnections: 12_000,
  failedLoginsPerMinute: 600,
  maxStreams: 10_000,
  streamBufferBytes: 1024 * 1024,
  heartbeatIntervalMs: 15_000,
};
