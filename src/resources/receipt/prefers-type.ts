/**
 * Which of the `offered` media types an Accept header names, the one with the largest weight first; undefined when it names
 * none, and the usual JSON is the answer. Wildcards ask for nothing special. Spec: RFC 9110, section 12.5.1.
 */
export function prefersType(accept: string | undefined, offered: readonly string[]): string | undefined {
  if (accept === undefined) return undefined;
  const named = accept
    .split(',')
    .map(rangeOf)
    .filter(({ type, weight }) => weight > 0 && offered.includes(type));
  const usual = weightOf(accept, 'application/json');
  const [best] = named.sort((one, other) => other.weight - one.weight);
  return best !== undefined && best.weight >= usual ? best.type : undefined;
}

function weightOf(accept: string, wanted: string): number {
  return (
    accept
      .split(',')
      .map(rangeOf)
      .find(({ type }) => type === wanted)?.weight ?? 0
  );
}

function rangeOf(text: string): { type: string; weight: number } {
  const [type = '', ...parameters] = text.split(';').map((piece) => piece.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return { type, weight: weight === undefined ? 1 : Number(weight) || 0 };
}
