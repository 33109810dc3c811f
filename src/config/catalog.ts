import { type ProviderCatalog, providerCatalog } from '#resources/runtime/catalog-schema.ts';
import { type ConfigFault, formatPath } from './fault.ts';
import { issueFaults } from './issue-faults.ts';
import { readProblem } from './secret.ts';

/** Larger ones are no catalog. That of Harn has less than a tenth. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Reads the catalog of providers; every fault names its member and the file. */
export function readCatalog(
  file: string,
  readFile: (path: string) => string,
): { catalog: ProviderCatalog | undefined; faults: ConfigFault[] } {
  const refused = (faults: ConfigFault[]) => ({ catalog: undefined, faults });
  let text: string;
  try {
    text = readFile(file);
  } catch (error) {
    return refused([{ path: 'catalog.file', message: `the file ${file} ${readProblem(error)}` }]);
  }
  if (text.length > MAX_BYTES)
    return refused([{ path: '', message: `is larger than ${MAX_BYTES} bytes`, file }]);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refused([{ path: '', message: 'is no JSON', file }]);
  }
  const read = providerCatalog.safeParse(value);
  if (read.success) return { catalog: read.data, faults: [] };
  const faults = issueFaults(read.error.issues, '').map(({ path, message }) => ({
    path: formatPath(path.slice(1)),
    message,
    file,
  }));
  return refused(faults);
}
