import type { z } from 'zod';
import type { PathFault } from './fault.ts';

type Issue = z.core.$ZodIssue;

/** What the schema found, one fault for each option, in the words of the operator. Never quotes a value. */
export function issueFaults(issues: readonly Issue[], section: string): PathFault[] {
  return issues.flatMap((issue) => {
    const path = [section, ...issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))];
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownOption(path, key));
    return [{ path, message: message(issue) }];
  });
}

/** The fault of a name that no schema knows; a name that does not look like one is not repeated. */
export function unknownOption(path: readonly (string | number)[], key: string): PathFault {
  const isNameLike = /^[A-Za-z_][A-Za-z0-9_-]{0,40}$/.test(key);
  if (isNameLike) return { path: [...path, key], message: 'unknown option' };
  return { path, message: 'holds an unknown option whose name is not a plain word' };
}

const KINDS: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a map of options',
  array: 'a list',
};

function message(issue: Issue): string {
  if (issue.code === 'invalid_type') {
    const wanted = KINDS[issue.expected] ?? issue.expected;
    return issue.message.endsWith('received undefined')
      ? `is required: ${wanted}`
      : (ownWords(issue.message) ?? `must be ${wanted}`);
  }
  if (issue.code === 'invalid_value')
    return ownWords(issue.message) ?? `must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'too_small')
    return (
      ownWords(issue.message) ?? (isNumber(issue) ? `must be ${issue.minimum} or more` : 'must not be empty')
    );
  if (issue.code === 'too_big') {
    const most = isNumber(issue)
      ? `must be ${issue.maximum} or less`
      : `must not be longer than ${issue.maximum}`;
    return ownWords(issue.message) ?? most;
  }
  return ownWords(issue.message) ?? 'is not valid';
}

function isNumber({ origin }: { origin: string }): boolean {
  return ['number', 'int', 'bigint'].includes(origin);
}

/** The message a schema of ours gave, or undefined for one of the library's own texts. */
function ownWords(text: string): string | undefined {
  return /^(Invalid|Too (small|big)|Unrecognized)/.test(text) ? undefined : text;
}
