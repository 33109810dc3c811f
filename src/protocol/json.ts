/** Any JSON value as parsed by the strict reader: finite numbers, well-formed strings, depth at most 64. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}
