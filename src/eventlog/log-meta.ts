import type { Random } from '#protocol/ports.ts';
import { keysUnder, metaKey } from '#store/keys.ts';
import { seal, unseal } from '#store/sealed-record.ts';
import type { Store, WriteOp } from '#store/store.ts';
import { IntegrityError } from '#store/store-errors.ts';
import { FORMS, type Forms, stepsFrom } from './migrate/forms.ts';

export { SCHEMA_VERSION } from './migrate/forms.ts';

const SCHEMA_KEY = metaKey('schema');
const LOG_ID_BYTES = 16;

export interface LogMeta {
  logId: string;
  /** Version of its stored form. */
  schema: number;
}

const newer = (found: number, current: number) =>
  `The data was written by a newer version (schema ${found}; this one reads ${current}). ` +
  'Start that version, or another data directory.';

const migratable = (found: number, current: number) =>
  `The data has an older form (schema ${found}; this version reads ${current}). ` +
  'Run "harn-gateway log migrate" with the same --data: it writes the log in the new form, and the old one stays.';

const unreleased = (found: number, current: number) =>
  `The data was written by an older version (schema ${found}; this one reads ${current}), whose form was never released: ` +
  'nothing migrates it. Start that version and run "harn-gateway session export" for each session; start this one with ' +
  'another data directory and run "harn-gateway session import" for each bundle.';

/** The data directory was written by another version. The message says what the operator does; nothing was changed. */
export class OtherSchemaError extends Error {
  override readonly name = 'OtherSchemaError';
  readonly found: number;
  /** False: `log migrate` brings it here, or nothing does. */
  readonly isNewer: boolean;

  constructor(found: number, forms: Forms) {
    const { current } = forms;
    const words = found > current ? newer : stepsFrom(found, forms) === undefined ? unreleased : migratable;
    super(words(found, current));
    this.found = found;
    this.isNewer = found > current;
  }
}

/**
 * The log's id. The first start writes schema version and id. Throws OtherSchemaError, and IntegrityError when the record
 * is damaged or absent from a store that is not empty.
 */
export async function openLogMeta(
  store: Store,
  random: Random,
  forms: Forms = FORMS,
): Promise<{ logId: string }> {
  const sealed = store.get(SCHEMA_KEY);
  if (sealed === undefined) return beginLog(store, random, forms);
  const meta = readMeta(unseal(sealed, SCHEMA_KEY));
  if (meta.schema !== forms.current) throw new OtherSchemaError(meta.schema, forms);
  return { logId: meta.logId };
}

/** Throws OtherSchemaError for the log of another version; one without a readable record is left to the check. */
export function refuseOtherSchema(store: Store, forms: Forms = FORMS): void {
  const schema = logMetaOf(store)?.schema;
  if (schema !== undefined && schema !== forms.current) throw new OtherSchemaError(schema, forms);
}

/** What the log says of itself; undefined where that cannot be read. */
export function logMetaOf(store: Store): LogMeta | undefined {
  try {
    const sealed = store.get(SCHEMA_KEY);
    return sealed === undefined ? undefined : readMeta(unseal(sealed, SCHEMA_KEY));
  } catch (error) {
    if (error instanceof IntegrityError) return undefined;
    throw error;
  }
}

async function beginLog(store: Store, random: Random, { current }: Forms): Promise<{ logId: string }> {
  for await (const [key] of store.keys({ ...keysUnder('c/'), limit: 1 }))
    if (key !== undefined) throw new IntegrityError(SCHEMA_KEY, 'the schema record', 'no record');
  const logId = `log_${Buffer.from(random.bytes(LOG_ID_BYTES)).toString('hex')}`;
  await store.write([logMetaPut({ logId, schema: current })]);
  return { logId };
}

/** Writes what the log says of itself. */
export function logMetaPut({ logId, schema }: LogMeta): WriteOp {
  const meta = JSON.stringify({ log_id: logId, schema });
  return { type: 'put', key: SCHEMA_KEY, value: seal(meta, SCHEMA_KEY) };
}

function readMeta(content: Buffer): LogMeta {
  const { schema, log_id } = JSON.parse(content.toString('utf8'));
  return { schema: Number(schema), logId: String(log_id) };
}
