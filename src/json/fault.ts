/** What the strict reader refuses. The words are the public explanation; they never contain the input. */
export const JSON_FAULTS = {
  utf8: 'The JSON text is not valid UTF-8. Encode it as UTF-8 and send it again.',
  byte_order_mark: 'The JSON text begins with a byte order mark. Send it without one.',
  syntax: 'The JSON text is malformed. Correct it and send it again.',
  depth: 'The JSON text is nested too deeply. Flatten it and send it again.',
  duplicate_name: 'An object has the same member name twice. Keep one of the two.',
  forbidden_name: 'An object has a member named __proto__. Rename the member.',
  number: 'A number cannot be kept exactly. Send large numbers as strings.',
  surrogate: 'A string has half of a surrogate pair. Send whole characters.',
} as const;

export type JsonFaultKind = keyof typeof JSON_FAULTS;

/** A refusal and where it was found: an index of the decoded text, in UTF-16 code units. */
export interface JsonFault {
  kind: JsonFaultKind;
  offset: number;
}
