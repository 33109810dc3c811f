import { ERROR_CODES } from '#protocol/errors.ts';
import type { RawAnswer } from './raw-connection.ts';

/** Paths of the A2A face. Well-known documents below it are served, and refused, by the gateway itself. */
const A2A_PATH = /^\S+ \/a2a(?=[/?\s])(?!\S*\/\.well-known\/)/;

/** The path of the MCP face, whose refusals are JSON-RPC, whatever their status. */
const MCP_PATH = /^\S+ \/mcp(?=[/?\s])/;

interface HarnError {
  code: keyof typeof ERROR_CODES;
  request_id: string;
}

interface A2aError {
  code: number;
  status?: string;
  message: string;
}

/**
 * Whether a refusal has the form of the protocol whose path was asked for: the Harn envelope, or below `/a2a` that of
 * HTTP+JSON or JSON-RPC, below `/mcp` that of JSON-RPC. What is no HTTP is refused before its path counts, in the Harn envelope.
 */
export function isRightRefusal(request: string, { body, status }: RawAnswer): boolean {
  const { error, jsonrpc } = JSON.parse(body) as { error?: HarnError | A2aError; jsonrpc?: string };
  if (error === undefined) return false;
  if (isHarnError(error))
    return ERROR_CODES[error.code].status === status && error.request_id.startsWith('req_');
  if (MCP_PATH.test(request)) return jsonrpc === '2.0' && typeof error.message === 'string' && error.code < 0;
  if (!A2A_PATH.test(request) || typeof error.message !== 'string') return false;
  if (jsonrpc !== undefined) return jsonrpc === '2.0' && error.code < 0;
  return error.code === status && typeof error.status === 'string';
}

function isHarnError(error: HarnError | A2aError): error is HarnError {
  return typeof error.code === 'string' && Object.hasOwn(ERROR_CODES, error.code) && 'request_id' in error;
}
