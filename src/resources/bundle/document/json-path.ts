const PLAIN_NAME = /^[A-Za-z_$][A-Za-z0-9_$-]*$/;

/** The path of a member, `$.tools.calls`; unusual names are quoted, as the redaction engine does. */
export function atMember(path: string, name: string): string {
  return PLAIN_NAME.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;
}

/** The path of an item, `$.tools.calls[0]`. */
export function atIndex(path: string, index: number): string {
  return `${path}[${index}]`;
}
