import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { filePath } from '../shapes.ts';

export const store = z
  .strictObject({
    data: filePath.default('./data').describe('Directory of the event log; one gateway owns it at a time.'),
    workspace_roots: z
      .array(z.string().refine((path) => isAbsolute(path), 'must be an absolute path'))
      .default([])
      .describe(
        'Directories under which workspace roots other than harn:// are served; such a root is a label elsewhere. Only the scope admin may create a workspace there.',
      ),
  })
  .prefault({})
  .describe('Where durable data lives. Relative paths here and below start at the working directory.');
