import { firstUnit, runEnd, SPACE, type Tail } from './runs.ts';

/** What follows `-----BEGIN ` and `-----END `. */
export const PEM_NAME = '[A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----';

const BREAK = String.raw`(?:\\[nr]|[${SPACE}])`;
const HEADER = String.raw`(?:${BREAK}+[A-Za-z]+(?:-[A-Za-z]+)?: (?:[^\r\n\\-]|-[^\r\n\\-])*)`;
const BASE64 = 'A-Za-z0-9+/=';
/** As many characters of a line as no word has. */
const LEAST_LINE = 20;
const CUT_OFF = `${HEADER}*(?:${BREAK}*[${BASE64}]{${LEAST_LINE},})+(?:${BREAK}+[${BASE64}]+)?`;

const END_LINE = new RegExp(`-----END ${PEM_NAME}`, 'y');
const BASE64_BEGIN = new RegExp(`[${BASE64}]`, 'g');
const VALUE_END = /[\r\n\\]|-(?![^\r\n\\-])/g;
const BREAKS_END = new RegExp(String.raw`[^\\nr${SPACE}]|\\(?![nr])|(?<!\\)[nr]`, 'g');
const lineEnd = runEnd(BASE64);
const lettersEnd = runEnd('A-Za-z');

/** A private key behind its BEGIN line: closed by its END line; or cut off, and then as many header and base64 lines as follow. */
export const PRIVATE_KEY_TAIL: Tail = {
  expression: `(?:(?:[^-]|-{1,4}[^-])*-----END ${PEM_NAME}|${CUT_OFF})`,
  endIn: (text, at) => closedEnd(text, at) ?? cutEnd(text, at),
};

/** Five dashes end the content of a key, whatever follows: the search is over before the next BEGIN line. */
function closedEnd(text: string, at: number): number | undefined {
  const dashes = text.indexOf('-----', at);
  if (dashes < 0) return undefined;
  END_LINE.lastIndex = dashes;
  return END_LINE.test(text) ? END_LINE.lastIndex : undefined;
}

/** A header of a key, by the places where its value begins and ends. */
interface Header {
  value: number;
  end: number;
}

/** As many headers as there are, then lines; where no line follows, the value of a header may hold one, or be no header. */
function cutEnd(text: string, at: number): number | undefined {
  for (const header of headersIn(text, at).reverse()) {
    const end = linesEnd(text, header.end) ?? lineInValue(text, header);
    if (end !== undefined) return end;
  }
  return linesEnd(text, at);
}

function headersIn(text: string, from: number): Header[] {
  const headers: Header[] = [];
  for (let at = from; ; ) {
    const begin = breaksEnd(text, at);
    const colon = begin === at ? undefined : nameEnd(text, begin);
    if (colon === undefined) return headers;
    at = firstUnit(VALUE_END, text, colon + 2);
    headers.push({ value: colon + 2, end: at });
  }
}

/** The shortest line that ends the value, or stands last in it. What a dash begins is part of the header. */
function lineInValue(text: string, { value, end }: Header): number | undefined {
  let line: number | undefined;
  for (let at = firstUnit(BASE64_BEGIN, text, value); at < end; at = firstUnit(BASE64_BEGIN, text, at)) {
    const begin = text.charAt(at - 1) === '-' ? at + 1 : at;
    at = lineEnd(text, at);
    if (at - begin >= LEAST_LINE) line = at - LEAST_LINE;
  }
  return line === undefined ? undefined : linesEnd(text, line);
}

/** Where `Proc-Type` ends that has `: ` behind it. */
function nameEnd(text: string, at: number): number | undefined {
  let end = lettersEnd(text, at);
  const second = text.charAt(end) === '-' ? lettersEnd(text, end + 1) : 0;
  if (second > end + 1) end = second;
  return end > at && text.startsWith(': ', end) ? end : undefined;
}

function linesEnd(text: string, from: number): number | undefined {
  let at = from;
  for (;;) {
    const begin = breaksEnd(text, at);
    const end = lineEnd(text, begin);
    const isLine = end - begin >= LEAST_LINE;
    if (isLine) at = end;
    else if (at === from) return undefined;
    else return begin > at && end > begin ? end : at;
  }
}

function breaksEnd(text: string, at: number): number {
  return firstUnit(BREAKS_END, text, at);
}
