import { Ajv, type ValidateFunction } from 'ajv';
import { asyncApiDocument } from '#surfaces/discovery/asyncapi.ts';

interface Document {
  channels: Record<string, { address: string; messages: Record<string, { $ref: string }> }>;
  components: {
    messages: Record<string, { name: string; payload: object }>;
    schemas: Record<string, { properties?: object }>;
  };
}

/** Checks what a gateway sends against the messages of its AsyncAPI document. */
export class AsyncApiCheck {
  readonly #document: Document;
  readonly #ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(document: object) {
    this.#document = document as Document;
    this.#ajv.addSchema(document, 'document');
  }

  /** What does not fit about an Event: its kind is a message, of which it has the form and no member of the payload besides. */
  ofEvent(event: { event: string; payload: object }): string[] {
    if ('erased' in event.payload) return this.of(event.event, event);
    const named = this.#document.components.schemas[`payload.${event.event}`]?.properties ?? {};
    const unnamed = Object.keys(event.payload).filter((name) => !(name in named));
    return [
      ...this.of(event.event, event),
      ...unnamed.map((name) => `${event.event}: the document does not name ${name}`),
    ];
  }

  /** What does not fit about a message of that name. */
  of(message: string, value: unknown): string[] {
    if (this.#document.components.messages[message] === undefined)
      return [`${message} is no message of the document`];
    const validate = this.#compiled.get(message) ?? this.#compile(message);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message: why }) => `${message} ${instancePath} ${why}`,
    );
  }

  #compile(message: string): ValidateFunction {
    const $ref = `document#/components/messages/${message}/payload`;
    const made = this.#ajv.compile({ $ref });
    this.#compiled.set(message, made);
    return made;
  }
}

let ours: AsyncApiCheck | undefined;

/** Checks against the document that every gateway of this build serves. */
export function asyncApiCheck(): AsyncApiCheck {
  ours ??= new AsyncApiCheck(asyncApiDocument('test', 'http://127.0.0.1'));
  return ours;
}
