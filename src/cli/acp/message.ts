import { isObject } from '#protocol/json-shape.ts';

/** A JSON-RPC message, as far as the relay reads it. */
export interface Message {
  jsonrpc?: string;
  id?: string | number | null;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown> | null;
  error?: unknown;
}

/** One line and what it is; text that is no JSON object is passed on for the gateway to refuse. */
export interface Line {
  text: string;
  message: Message | undefined;
}

export function readLine(text: string): Line {
  try {
    const value: unknown = JSON.parse(text);
    return { text, message: isObject(value) ? (value as Message) : undefined };
  } catch {
    return { text, message: undefined };
  }
}
