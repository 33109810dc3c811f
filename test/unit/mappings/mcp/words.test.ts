import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Part } from '#resources/message/schema.ts';
import { BLOCKS, blockOfPart, partOfBlock } from '../../../../mappings/mcp/content.ts';
import {
  CODE_OF_ERROR,
  FAILURE_OF_ERROR,
  failureOfCode,
  MCP_ERRORS,
  type McpErrorName,
} from '../../../../mappings/mcp/errors.ts';
import { HINTS_OF, SIDE_EFFECTS, sideEffectOf } from '../../../../mappings/mcp/side-effects.ts';

describe('side effects of tools', () => {
  it.each(SIDE_EFFECTS)('%s: its hints are read back as the same class', (word) => {
    expect(sideEffectOf({ ...HINTS_OF[word] }, true)).toBe(word);
  });

  it.each([
    [undefined, 'destructive'],
    [{}, 'destructive'],
    [{ readOnlyHint: true }, 'read_external'],
    [{ readOnlyHint: true, openWorldHint: false }, 'read'],
    [{ destructiveHint: false }, 'write'],
    [{ destructiveHint: false, idempotentHint: true }, 'write_idempotent'],
    ['nonsense', 'destructive'],
  ])('%j is %s; of a server that is not trusted it is destructive', (annotations, word) => {
    expect(sideEffectOf(annotations as JsonObject, true)).toBe(word);
    expect(sideEffectOf(annotations as JsonObject, false)).toBe('destructive');
  });
});

describe('errors', () => {
  it('has the codes of the specification', () => {
    expect(MCP_ERRORS).toEqual({
      parse_error: -32700,
      invalid_request: -32600,
      method_not_found: -32601,
      invalid_params: -32602,
      internal_error: -32603,
      connection_closed: -32000,
      request_timeout: -32001,
      resource_not_found: -32002,
      header_mismatch: -32020,
      missing_capability: -32021,
      unsupported_version: -32022,
      url_elicitation_required: -32042,
      sampling_rejected: -1,
    });
  });

  it.each(Object.keys(MCP_ERRORS) as McpErrorName[])('%s fails a Task, and is never a success', (name) => {
    const found = failureOfCode(MCP_ERRORS[name]);
    expect(found).toEqual(FAILURE_OF_ERROR[name]);
    expect(found.type).toBe('upstream_error');
  });

  it("a code of the server's own is a failure of the server", () => {
    expect(failureOfCode(4711)).toEqual({ code: 'upstream_unavailable', type: 'upstream_error' });
  });

  it('every error of the gateway has a code for clients', () => {
    expect(Object.keys(CODE_OF_ERROR).sort()).toEqual(Object.keys(ERROR_CODES).sort());
  });
});

describe('content blocks', () => {
  const BLOCK_TABLE: [string, JsonObject][] = [
    ['text', { type: 'text', text: 'hello' }],
    ['text with annotations', { type: 'text', text: 'x', annotations: { audience: ['user'], priority: 1 } }],
    ['image', { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' }],
    ['audio', { type: 'audio', data: 'aGVsbG8=', mimeType: 'audio/wav' }],
    [
      'text resource',
      { type: 'resource', resource: { uri: 'test://a/b.txt', mimeType: 'text/plain', text: 'hello' } },
    ],
    [
      'binary resource',
      { type: 'resource', resource: { uri: 'test://a', mimeType: 'application/zip', blob: 'aGVsbG8=' } },
    ],
    [
      'resource link',
      { type: 'resource_link', uri: 'test://a', name: 'a', mimeType: 'text/plain', description: 'd' },
    ],
  ];

  it.each(BLOCK_TABLE)('%s: goes in and comes out as it was', (_, block) => {
    const draft = partOfBlock(block);
    const isBytes = draft.type === 'bytes';
    const stored: Part = isBytes
      ? {
          type: draft.mime_type.startsWith('image/') ? 'image_ref' : 'artifact_ref',
          artifact_id: 'artifact_1',
          mime_type: draft.mime_type,
          visibility: 'public',
          ...(draft.metadata === undefined ? {} : { metadata: draft.metadata }),
        }
      : draft;
    const read = () => (isBytes ? { base64: draft.base64, mimeType: draft.mime_type } : undefined);
    expect(blockOfPart(stored, read)).toEqual(block);
  });

  it('a block of an unknown type is kept whole, as JSON, and never dropped', () => {
    const block = { type: 'hologram', data: 'x' };
    expect(partOfBlock(block)).toEqual({ type: 'json', value: block, visibility: 'public' });
  });

  it('what a row loses is said', () => {
    expect(BLOCKS.decode('audio')).toMatchObject({ word: 'artifact_ref', loses: expect.any(String) });
    expect(BLOCKS.encode('tool_call')).toMatchObject({ known: false });
  });
});
