import type { Random } from '../protocol/ports.ts';
import { keysUnder, metaKey } from '../store/keys.ts';
import { seal, unseal } from '../store/sealed-record.ts';
import type { Store } from '../store/store.ts';
import { IntegrityError } from '../store/store-errors.ts';

/** Version of the key layout and of the stored shapes. Raised by every change an older gateway would misread. */
export const SCHEMA_VERSION = 5;
const SCHEMA_KEY = metaKey('schema');
const LOG_ID_BYTES = 16;

const schemas = (found: number) => `(schema ${found}; this one reads ${SCHEMA_VERSION})`;

const newer = (found: number) =>
  `The data was written by a newer version ${schemas(found)}. Start that version, or another data directory.`;

const older = (found: number) =>
  `The data was written by an older version ${schemas(found)}. Start that version and run "harn-gateway session export" ` +
  'for each session; start this one with another data directory and run "harn-gateway session import" for each bundle.';

/** The data directory was written by another version. The operator starts that one; nothing was changed. */
export class OtherSchemaError extends Error {
  override readonly name = 'OtherSchemaError';
  readonly found: number;

  constructor(found: number) {
    super(found > SCHEMA_VERSION ? newer(found) : older(found));
    this.found = found;
  }

  get isNewer(): boolean {
    return this.found > SCHEMA_VERSION;
  }
}

/**
 * The log's id. The first start writes schema version and id. Throws OtherSchemaError, and IntegrityError when the record
 * is damaged or absent from a store that is not empty.
 */
export async function openLogMeta(store: Store, random: Random): Promise<{ logId: string }> {
  const sealed = store.get(SCHEMA_KEY);
  if (sealed === undefined) return writeLogMeta(store, random);
  const meta = readMeta(unseal(sealed, SCHEMA_KEY));
  if (meta.schema !== SCHEMA_VERSION) throw new OtherSchemaError(meta.schema);
  return { logId: meta.logId };
}

/** Throws OtherSchemaError for the log of another version; one without a readable record is left to the check. */
export function refuseOtherSchema(store: Store): void {
  const schema = schemaOf(store);
  if (schema !== undefined && schema !== SCHEMA_VERSION) throw new OtherSchemaError(schema);
}

function schemaOf(store: Store): number | undefined {
  try {
    const sealed = store.get(SCHEMA_KEY);
    return sealed === undefined ? undefined : readMeta(unseal(sealed, SCHEMA_KEY)).schema;
  } catch (error) {
    if (error instanceof IntegrityError) return undefined;
    throw error;
  }
}

async function writeLogMeta(store: Store, random: Random): Promise<{ logId: string }> {
  for await (const [key] of store.keys({ ...keysUnder('c/'), limit: 1 }))
    if (key !== undefined) throw new IntegrityError(SCHEMA_KEY, 'the schema record', 'no record');
  const logId = `log_${Buffer.from(random.bytes(LOG_ID_BYTES)).toString('hex')}`;
  const meta = JSON.stringify({ log_id: logId, schema: SCHEMA_VERSION });
  await store.write([{ type: 'put', key: SCHEMA_KEY, value: seal(meta, SCHEMA_KEY) }]);
  return { logId };
}

function readMeta(content: Buffer): { schema: number; logId: string } {
  const { schema, log_id } = JSON.parse(content.toString('utf8'));
  return { schema: Number(schema), logId: String(log_id) };
}
