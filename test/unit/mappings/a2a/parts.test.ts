import { Message } from '@a2a-js/sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Part } from '#resources/message/schema.ts';
import {
  CONTENT_PART,
  decodePart,
  encodeDraft,
  encodePart,
  PART_CONTENT,
  type PartDialect,
} from '../../../../mappings/a2a/message.ts';

const NO_ARTIFACTS = new Map();
const DIALECTS: PartDialect[] = ['1.0', '0.3', 'harn-serve'];
const visibility = 'public' as const;

const PUBLIC_PARTS: Part[] = [
  { type: 'text', text: 'hello', visibility },
  { type: 'text', text: '', visibility },
  {
    type: 'text',
    text: '# hi',
    visibility,
    metadata: { a2a: { media_type: 'text/markdown', metadata: { k: 1 } } },
  },
  { type: 'json', value: { a: [1, null] }, visibility },
  { type: 'json', value: null, visibility },
  { type: 'json', value: [1, 2], visibility },
  { type: 'json', value: 'text', visibility },
  { type: 'tool_call', tool_call_id: 'c1', name: 'grep', input: { q: 'x' }, visibility },
  { type: 'tool_result', tool_call_id: 'c1', output: null, status: 'error', visibility },
  { type: 'file_ref', uri: 'https://files.example/a.csv', mime_type: 'text/csv', visibility },
];

describe('parts that leave', () => {
  it.each([
    [PUBLIC_PARTS[0], { text: 'hello' }, { kind: 'text', text: 'hello' }],
    [PUBLIC_PARTS[3], { data: { a: [1, null] } }, { kind: 'data', data: { a: [1, null] } }],
    [PUBLIC_PARTS[5], { data: [1, 2] }, { kind: 'data', data: { harn_value: [1, 2] } }],
    [
      PUBLIC_PARTS[7],
      {
        data: { tool_call_id: 'c1', name: 'grep', input: { q: 'x' } },
        mediaType: 'application/vnd.harn.tool-call+json',
      },
      {
        kind: 'data',
        data: { tool_call_id: 'c1', name: 'grep', input: { q: 'x' } },
        metadata: { mediaType: 'application/vnd.harn.tool-call+json' },
      },
    ],
    [
      PUBLIC_PARTS[9],
      { url: 'https://files.example/a.csv', mediaType: 'text/csv' },
      { kind: 'file', file: { uri: 'https://files.example/a.csv', mimeType: 'text/csv' } },
    ],
  ] as [Part, JsonObject, JsonObject][])('%j', (part, v1, v03) => {
    expect(encodePart(part, '1.0', NO_ARTIFACTS)).toEqual(v1);
    expect(encodePart(part, '0.3', NO_ARTIFACTS)).toEqual(v03);
    expect(encodePart(part, 'harn-serve', NO_ARTIFACTS)).toEqual({ ...v03, type: v03['kind'] });
  });

  it('carry the bytes of an artifact inline, and a descriptor when they are not at hand', () => {
    const part: Part = { type: 'artifact_ref', artifact_id: 'artifact_1', visibility };
    const artifacts = new Map([
      ['artifact_1', { bytes: Buffer.from('a,b'), mimeType: 'text/csv', name: 'x.csv' }],
    ]);
    expect(encodePart(part, '1.0', artifacts)).toEqual({
      raw: 'YSxi',
      mediaType: 'text/csv',
      filename: 'x.csv',
    });
    expect(encodePart(part, '0.3', artifacts)).toEqual({
      kind: 'file',
      file: { bytes: 'YSxi', mimeType: 'text/csv', name: 'x.csv' },
    });
    expect(encodePart(part, '1.0', NO_ARTIFACTS)).toEqual({
      data: { artifact_id: 'artifact_1', available: false },
    });
  });

  it.each(['internal', 'receipt_only'] as const)(
    'never carry %s content, only that something was there',
    (hidden) => {
      for (const part of PUBLIC_PARTS) {
        const secret = { ...part, visibility: hidden, metadata: { a2a: { metadata: { secret: 1 } } } };
        expect(encodePart(secret, '1.0', NO_ARTIFACTS)).toEqual({
          data: { redacted: true, type: part.type },
        });
      }
    },
  );

  it('are spelled as the codec of the SDK spells them', () => {
    const parts = PUBLIC_PARTS.map((part) => encodePart(part, '1.0', NO_ARTIFACTS)).filter(
      ({ data }) => data !== null,
    );
    const message = { messageId: 'm', role: 'ROLE_USER', parts };
    expect(Message.toJSON(Message.fromJSON(message))).toEqual(message);
  });
});

describe('parts that arrive', () => {
  it.each(DIALECTS)('come back in dialect %s as they left', (dialect) => {
    for (const part of PUBLIC_PARTS) {
      const back = decodePart(encodePart(part, dialect, NO_ARTIFACTS));
      const { metadata: _lost, ...bare } = back;
      const { metadata: _own, ...expected } = part;
      expect(bare).toEqual(expected);
      if (dialect === '1.0') expect(back).toEqual(part);
    }
  });

  it.each([
    [{ raw: 'YSxi', mediaType: 'text/csv', filename: 'x.csv' }],
    [{ kind: 'file', file: { bytes: 'YSxi', mimeType: 'text/csv', name: 'x.csv' } }],
  ])('become bytes for an Artifact: %j', (raw) => {
    expect(decodePart(raw)).toEqual({ type: 'bytes', base64: 'YSxi', mime_type: 'text/csv', name: 'x.csv' });
  });

  it.each([
    [{ url: 'https://files.example/a' }],
    [{ raw: 'YSxi', filename: 'x' }],
    [{ url: 'https://files.example/a', mediaType: 'application/octet-stream', filename: 'x' }],
    [{ kind: 'file', file: { uri: 'https://files.example/a', name: 'x' } }],
    [{ kind: 'file', file: { bytes: 'YSxi' }, metadata: { k: 1 } }],
  ])('have the media type that their peer named, or none: %j', (raw) => {
    const dialect = 'kind' in raw ? '0.3' : '1.0';
    expect(encodeDraft(decodePart(raw), dialect, NO_ARTIFACTS)).toEqual(raw);
  });

  it.each([[{ text: 'hi' }], [{ type: 'text', text: 'hi' }], [{ kind: 'text', text: 'hi' }]])(
    'are text in every spelling: %j',
    (raw) => {
      expect(decodePart(raw)).toEqual({ type: 'text', text: 'hi', visibility: 'public' });
    },
  );

  it.each([
    [7],
    [null],
    [{}],
    [{ kind: 'video', stream: 1 }],
    [{ raw: 'not base64!' }],
    [{ raw: 'a' }],
    [{ text: 5 }],
  ])('that no version knows are kept whole: %j', (raw) => {
    expect(decodePart(raw as JsonValue)).toEqual({
      type: 'json',
      value: raw,
      visibility: 'public',
      metadata: { a2a: { unrecognised: true } },
    });
  });

  it('never throw, whatever arrives', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(decodePart(value as JsonValue)).toHaveProperty('type');
      }),
    );
  });
});

describe('the table of parts', () => {
  it('leads every part back to its type, or says what it loses', () => {
    for (const [type, row] of Object.entries(PART_CONTENT)) {
      const back = CONTENT_PART[row.content];
      expect(back.part === type || 'loses' in row, type).toBe(true);
    }
    expect(Object.keys(PART_CONTENT)).toHaveLength(7);
  });

  it('says what bytes lose', () => {
    expect(CONTENT_PART.raw.loses).toBe('that the bytes came inline');
  });
});
