/** Source: Agents Protocol v1, "Versioning". */
export const PROTOCOL_FAMILY = 'harn_agents_protocol';
export const CURRENT_VERSION = 'agents-protocol-2026-04-25';
export const SUPPORTED_VERSIONS: readonly string[] = [CURRENT_VERSION];
export const VERSION_HEADER = 'Harn-Agents-Protocol-Version';
