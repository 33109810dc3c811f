import { z } from 'zod';
import { filePath } from '../shapes.ts';

export const store = z
  .strictObject({
    data: filePath.default('./data').describe('Directory of the event log; one gateway owns it at a time.'),
  })
  .prefault({})
  .describe('Where durable data lives. Relative paths here and below start at the working directory.');
