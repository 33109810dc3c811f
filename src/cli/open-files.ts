/** Open files that a start needs, with room for a few clients. Loading the program opens many at once. */
const ENOUGH = 1_024;
/** With fewer, the program cannot be loaded: Node reports files as missing that it could not open. */
const FEWEST = 256;
/** As Node and LevelDB say it. */
const TOO_MANY = /\bEMFILE\b|\bENFILE\b|too many open files/i;

/** Which limit is to be raised, when an error or a cause of it is that no more files may be opened; else undefined. */
export function openFilesFault(error: unknown): string | undefined {
  const fault = faultOf(error);
  if (fault === undefined) return undefined;
  if (/\bENFILE\b/.test(fault))
    return 'The machine has too many open files. Raise its limit (sysctl fs.file-max on Linux), or close other programs.';
  return `Too many open files. ${raise(softLimit())}`;
}

/** The same for an error of loading the program, which may say something else while the limit is the cause. */
export function loadingFault(error: unknown): string | undefined {
  const fault = openFilesFault(error);
  const limit = softLimit();
  if (fault !== undefined || limit === undefined || limit >= FEWEST) return fault;
  const what = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
  return `The program could not be loaded (${what}). Too few files may be open. ${raise(limit)}`;
}

function raise(limit: number | undefined): string {
  return (
    `Raise the limit of open files (RLIMIT_NOFILE) of this process to ${ENOUGH} or more and start again:` +
    ` "ulimit -n ${ENOUGH}" in a shell, LimitNOFILE= in a systemd unit, --ulimit nofile= for a container.` +
    (limit === undefined ? '' : ` It is ${limit} now.`)
  );
}

function faultOf(error: unknown, depth = 0): string | undefined {
  if (!(error instanceof Error) || depth > 4) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  const text = `${code} ${error.message}`;
  return TOO_MANY.test(text) ? text : faultOf(error.cause, depth + 1);
}

/** The limit in force, where the system names and sets one. */
function softLimit(): number | undefined {
  const report = process.report?.getReport() as
    | { userLimits?: { open_files?: { soft?: unknown } } }
    | undefined;
  const soft = report?.userLimits?.open_files?.soft;
  return Number.isInteger(Number(soft)) ? Number(soft) : undefined;
}
