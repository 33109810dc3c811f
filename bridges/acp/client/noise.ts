const ESC = String.fromCharCode(0x1b);
const BEL = String.fromCharCode(0x07);
const CSI = `${ESC}\\[[0-9;?]{0,32}[ -/]?[@-~]`;
const OSC = `${ESC}\\][^${BEL}${ESC}]{0,1024}(?:${BEL}|${ESC}\\\\)`;

/** What terminals and shells put in front of a line; linear, bounded. */
const ESCAPES = new RegExp(`${CSI}|${OSC}`, 'g');

/** The JSON object in a line that begins with escape sequences or a banner; undefined when there is none. */
export function withoutNoise(line: string): string | undefined {
  const clean = line.replace(ESCAPES, '');
  const at = clean.indexOf('{"');
  return at < 0 ? undefined : clean.slice(at);
}
