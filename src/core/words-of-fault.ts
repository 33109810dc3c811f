import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** What is expected of a field, in plain words; they name types and allowed values, never the value that was sent. */
export function wordsOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.message.endsWith('received undefined')
        ? 'is required'
        : `must be ${withArticle(issue.expected)}`;
    case 'unrecognized_keys':
      return 'has unknown members';
    case 'invalid_value':
      return oneOf(issue.values);
    case 'too_small':
      return `must ${bound(issue.origin, 'at least', issue.minimum)}`;
    case 'too_big':
      return `must ${bound(issue.origin, 'at most', issue.maximum)}`;
    case 'invalid_union':
      return isOwn(issue) ? plain(issue) : ofUnion(issue);
    default:
      return plain(issue);
  }
}

function oneOf(values: readonly unknown[]): string {
  const words = values.map((value) => JSON.stringify(value));
  return `must be ${words.length > 1 ? 'one of ' : ''}${words.join(', ')}`;
}

const UNIT: Readonly<Record<string, string>> = { string: 'characters', array: 'items', set: 'items' };

function bound(origin: string, least: string, limit: number | bigint): string {
  const unit = UNIT[origin];
  if (unit === undefined) return `be ${least} ${limit}`;
  return `have ${least} ${limit} ${limit === 1 ? unit.slice(0, -1) : unit}`;
}

/** A schema that says what it expects says it better than a list of what its branches expect. */
function isOwn({ message }: Issue): boolean {
  return message !== 'Invalid input' && !message.startsWith('Invalid discriminator value');
}

/** A fault of a union by a member says only that the member is none of its words; of any other union, what each branch expects. */
function ofUnion(issue: Extract<Issue, { code: 'invalid_union' }>): string {
  if ('options' in issue && issue.options !== undefined) return oneOf(issue.options);
  const own = issue.errors.map((branch) => branch.find(({ path }) => path.length === 0) ?? branch[0]);
  const words = [...new Set(own.flatMap((fault) => (fault ? [wordsOf(fault)] : [])))];
  return words.length === 0 ? 'must be one of the known types' : words.join(', or ');
}

function withArticle(type: string): string {
  const word = type === 'int' ? 'integer' : type;
  return /^[aeiou]/.test(word) ? `an ${word}` : `a ${word}`;
}

function plain({ message }: Issue): string {
  const words = message.replace(/^Invalid input: /, '').replace(/\.$/, '');
  return words === 'Invalid input' ? 'has the wrong shape' : words;
}
