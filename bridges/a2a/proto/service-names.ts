/** The service of each version, apart from its messages, which are read where gRPC is spoken only. */
export const SERVICE_NAMES = { '1.0': 'lf.a2a.v1.A2AService', '0.3': 'a2a.v1.A2AService' } as const;
