/** The one extension by which this gateway says what A2A has no word for. See mappings/README.md, Words that are missing. */
export const HARN_EXTENSION = 'https://harnlang.com/a2a/ext/harn/v1';

/** Media type of the data part that says what a Task waits for. */
export const PERMISSION_MEDIA_TYPE = 'application/vnd.harn.permission-request+json';
