/** One instruction of a Dockerfile, line breaks joined. */
export interface Instruction {
  readonly name: string;
  readonly rest: string;
}

export function readDockerfile(text: string): Instruction[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n');
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [name = '', ...words] = line.trim().split(/\s+/);
      return { name, rest: words.join(' ') };
    });
}

export function allOf(instructions: readonly Instruction[], name: string): string[] {
  return instructions.flatMap((instruction) => (instruction.name === name ? [instruction.rest] : []));
}

/** What COPY takes from the build context, not from another stage. */
export function copiedFromContext(instructions: readonly Instruction[]): string[] {
  return allOf(instructions, 'COPY')
    .filter((rest) => !rest.startsWith('--from='))
    .flatMap((rest) => rest.split(' ').slice(0, -1));
}

/** Names and values that ENV sets. */
export function environmentOf(instructions: readonly Instruction[]): Map<string, string> {
  const pairs = allOf(instructions, 'ENV').flatMap((rest) => rest.split(' '));
  return new Map(
    pairs.map((pair) => {
      const [name = '', value = ''] = pair.split('=');
      return [name, value];
    }),
  );
}
