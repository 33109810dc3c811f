/** Code points that models read and people do not see, from and to. */
const HIDDEN = [
  // Control characters but tab and line feed; terminal sequences begin with one.
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  // Zero-width, directions and invisible operators.
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  // Tags and variation selectors.
  [0xe0000, 0xe01ef],
] as const;

/** Longest description that is shown; the definition as it came has all of it. */
const MAX_CHARS = 8_192;

/** What a server says of itself without what people would not see, cut where it is too long. */
export function visibleText(text: unknown): string {
  if (typeof text !== 'string') return '';
  return [...text.slice(0, MAX_CHARS)].filter((character) => !isHidden(character)).join('');
}

function isHidden(character: string): boolean {
  const point = character.codePointAt(0) ?? 0;
  return HIDDEN.some(([from, to]) => point >= from && point <= to);
}
