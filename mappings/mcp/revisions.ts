/** The revision of MCP without sessions; all others have them. */
export const STATELESS = '2026-07-28';

/** Spec: MCP extension `io.modelcontextprotocol/tasks` (SEP-2663). */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';
