import { type ErrorCode, ProtocolError } from '#protocol/errors.ts';

/** Name of a file while it is written; no path may use it, no listing shows it. */
export const DRAFT_NAME = '.harn-draft';

interface Row {
  code: ErrorCode;
  message: string;
}

/** What the file system says, in words of the contract. */
const FAULTS: Readonly<Record<string, Row>> = {
  ENOENT: { code: 'resource_not_found', message: 'No such file in this workspace. List its directory.' },
  ENOTDIR: { code: 'invalid_request', message: 'A file stands where the path wants a directory.' },
  EISDIR: { code: 'invalid_request', message: 'The path names a directory. Name a file in it.' },
  EEXIST: { code: 'service_unavailable', message: 'Something else made the same path just now. Retry.' },
  ENAMETOOLONG: { code: 'invalid_request', message: 'The path is too long for the file system.' },
  ELOOP: {
    code: 'policy_violation',
    message: 'The path leads through a symbolic link that is not followed.',
  },
  ENXIO: { code: 'policy_violation', message: 'The path names no regular file.' },
  EACCES: { code: 'policy_violation', message: 'The gateway may not use this file.' },
  EPERM: { code: 'policy_violation', message: 'The gateway may not use this file.' },
  EROFS: { code: 'policy_violation', message: 'The workspace is read-only.' },
  ENOSPC: { code: 'service_unavailable', message: 'There is no space for the file. Retry later.' },
  EDQUOT: { code: 'service_unavailable', message: 'There is no space for the file. Retry later.' },
};

/** A ProtocolError stays itself; a fault of the file system gets its row; anything else stays what it is. */
export function fileFault(error: unknown): unknown {
  if (error instanceof ProtocolError || !(error instanceof Error) || !('code' in error)) return error;
  const row = FAULTS[String(error.code)];
  return row ? new ProtocolError(row.code, row.message, { param: 'path', cause: error }) : error;
}

/** The same for a write: it makes what is missing, so what is gone was taken away meanwhile. Never resource_not_found. */
export function writeFault(error: unknown): unknown {
  const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  return isGone ? movedAway(error) : fileFault(error);
}

export function movedAway(cause?: unknown): ProtocolError {
  const message = 'Something else moved or removed the path just now. Retry.';
  return new ProtocolError('service_unavailable', message, { param: 'path', cause });
}
