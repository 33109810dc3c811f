/** Any JSON value as parsed by the strict reader: finite numbers, well-formed strings, depth at most 64. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

/** What was mended in a JSON text, so that it could be kept. */
export type JsonMend = 'half_characters' | 'numbers' | 'members';
export interface MendedJson {
  value: JsonValue;
  /** Each at most once; empty where the text was fine. */
  mended: JsonMend[];
}
