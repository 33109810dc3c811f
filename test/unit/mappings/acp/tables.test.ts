import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import type { Part } from '#resources/message/schema.ts';
import { decodeBlocks, encodePart } from '../../../../mappings/acp/content.ts';
import { ACP_ERRORS, acpErrorName, ERROR_OF_CODE } from '../../../../mappings/acp/errors.ts';
import { decodeOptions, encodeAnswer } from '../../../../mappings/acp/permission-answers.ts';
import { endOf, STOP_REASONS, statusOfStop } from '../../../../mappings/acp/stop-reasons.ts';
import { TOOL_STATUSES } from '../../../../mappings/acp/tool-calls.ts';
import { UPDATE_KINDS, updateRow } from '../../../../mappings/acp/update-kinds.ts';

interface KindOfUpdate {
  allOf: { $ref: string }[];
  properties: { sessionUpdate: { const: string } };
}

describe('stop reasons', () => {
  it.each([
    ['end_turn', 'COMPLETED', undefined],
    ['cancelled', 'CANCELED', undefined],
    ['max_tokens', 'FAILED', 'max_tokens'],
    ['max_turn_requests', 'FAILED', 'max_turn_requests'],
    ['refusal', 'FAILED', 'refusal'],
    ['completed', 'FAILED', 'unknown_stop_reason'],
    ['', 'FAILED', 'unknown_stop_reason'],
  ])('%j means %s', (word, status, code) => {
    const found = statusOfStop(word);
    expect([found.status, found.failure?.code]).toEqual([status, code]);
  });

  it('lead back to themselves', () => {
    for (const word of ['end_turn', 'cancelled', 'max_tokens', 'max_turn_requests', 'refusal']) {
      const { status, failure } = statusOfStop(word);
      expect(STOP_REASONS.encode(endOf(status, failure ?? null))).toMatchObject({ known: true, word });
    }
    const failed = endOf('FAILED', { code: 'agent_error', message: '' });
    expect(STOP_REASONS.encode(failed)).toMatchObject({ known: false });
  });
});

describe('words of ACP', () => {
  it('updates require what the schema of version 1 does', () => {
    const file = createRequire(import.meta.url).resolve('@agentclientprotocol/sdk/schema/v1/schema.json');
    const { $defs } = JSON.parse(readFileSync(file, 'utf8')) as {
      $defs: Record<string, { required?: string[]; oneOf?: KindOfUpdate[] }>;
    };
    const required = ($defs['SessionUpdate']?.oneOf ?? []).map(({ allOf: [body], properties }) => {
      const name = body?.$ref.split('/').at(-1) ?? '';
      return [properties.sessionUpdate.const, $defs[name]?.required ?? []];
    });
    const rows = Object.entries(UPDATE_KINDS).map(([kind, { requires }]) => [kind, requires]);
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(required));
  });

  it('unknown updates are kept about the turn', () => {
    const unknown = { home: 'turn', visibility: 'public', requires: [] };
    expect(updateRow('from_the_future')).toEqual(unknown);
    expect(updateRow('toString')).toEqual(unknown);
    expect(Object.keys(UPDATE_KINDS)).toHaveLength(14);
  });

  it.each([
    ['pending', 'requested'],
    ['in_progress', 'requested'],
    ['completed', 'completed'],
    ['failed', 'failed'],
    ['cancelled', 'failed'],
  ])('a tool that is %s is %s', (word, phase) => {
    expect(TOOL_STATUSES.decode(word)).toMatchObject({ known: true, word: phase });
  });

  it('only a missing credential opens a login screen', () => {
    const logins = Object.entries(ERROR_OF_CODE).filter(([, name]) => name === 'auth_required');
    expect(logins.map(([code]) => code)).toEqual(['unauthenticated']);
    expect(acpErrorName(-32000)).toBe('auth_required');
    expect(acpErrorName(-1)).toBeUndefined();
    expect(ACP_ERRORS.resource_not_found).toBe(-32002);
  });
});

describe('answers to permission requests', () => {
  const request = (...kinds: string[]) => ({
    method: 'session/request_permission',
    params: { options: kinds.map((kind) => ({ optionId: `o-${kind}`, name: kind, kind })) },
  });
  const no = { upstreamId: 'k', approved: false, optionId: null, reason: 'timeout' };
  const yes = { ...no, approved: true };

  it('a refusal takes the option that refuses, and never one that allows', () => {
    expect(encodeAnswer(request('allow_once', 'reject_once'), no)).toEqual({
      outcome: { outcome: 'selected', optionId: 'o-reject_once' },
    });
    expect(encodeAnswer(request('allow_once', 'allow_always'), no)).toEqual({
      outcome: { outcome: 'cancelled' },
    });
    expect(encodeAnswer(request('allow_once', 'reject_once'), { ...no, optionId: 'o-allow_once' })).toEqual({
      outcome: { outcome: 'selected', optionId: 'o-reject_once' },
    });
  });

  it('an approval takes the chosen option, and nothing is allowed for longer than it says', () => {
    expect(encodeAnswer(request('allow_always', 'allow_once'), yes)).toEqual({
      outcome: { outcome: 'selected', optionId: 'o-allow_once' },
    });
    expect(
      decodeOptions(request('allow_always', 'allow_once', 'reject_always')).map(({ kind }) => kind),
    ).toEqual(['allow_once', 'reject_always']);
  });

  it('an option without an id or of an unknown kind is not offered', () => {
    const options = [
      { optionId: 'a', kind: 'maybe' },
      { kind: 'allow_once' },
      'x',
      { optionId: 'b', kind: 'allow_once' },
    ];
    const odd = { method: 'session/request_permission', params: { options } };
    expect(decodeOptions(odd)).toEqual([{ option_id: 'b', name: 'b', kind: 'allow_once' }]);
  });

  it('a form is accepted with its content, declined or cancelled', () => {
    const form = {
      method: 'elicitation/create',
      params: { mode: 'form', requestedSchema: { properties: { colour: {} } } },
    };
    expect(encodeAnswer(form, { ...yes, answer: { colour: 'red' } })).toEqual({
      action: 'accept',
      content: { colour: 'red' },
    });
    const part = { type: 'json', value: { colour: 'red' } };
    const words = [{ type: 'text', text: 'red' }];
    for (const parts of [[part], [{ type: 'text', text: 'here' }, part], words])
      expect(encodeAnswer(form, { ...yes, answer: { parts } })).toEqual({
        action: 'accept',
        content: { colour: 'red' },
      });
    expect(encodeAnswer(form, { ...yes, answer: 'red' })).toEqual({
      action: 'accept',
      content: { colour: 'red' },
    });
    expect(encodeAnswer(form, no)).toEqual({ action: 'decline' });
    expect(encodeAnswer(form, 'cancelled')).toEqual({ action: 'cancel' });
  });
});

describe('content', () => {
  const takes = { image: true, audio: true, embeddedContext: true };

  it('pieces of a text are one text, and empty ones are none', () => {
    const blocks = ['He', 'llo', ''].map((text) => ({ type: 'text', text }));
    expect(decodeBlocks(blocks)).toEqual([{ type: 'text', text: 'Hello', visibility: 'public' }]);
  });

  it.each([
    { type: 'text', text: 'hello' },
    { type: 'resource_link', uri: 'file:///a/b.txt', name: 'b.txt', mimeType: 'text/plain' },
    { type: 'resource', resource: { uri: 'file:///a.ts', mimeType: 'text/x-ts', text: 'let a' } },
  ])('%j comes back as it went in', (block) => {
    const [part] = decodeBlocks([block]);
    expect(encodePart(part as Part, new Map(), takes)).toEqual(block);
  });

  it('a block that no version knows is kept whole', () => {
    expect(decodeBlocks([{ type: 'hologram', depth: 3 }])).toMatchObject([
      { type: 'json', value: { depth: 3 } },
    ]);
    expect(decodeBlocks([{ type: 'image', mimeType: 'image/png', data: 'not base64!' }])).toMatchObject([
      { type: 'json' },
    ]);
  });

  it('what is not public never leaves', () => {
    const part: Part = { type: 'text', text: 'secret', visibility: 'internal' };
    expect(JSON.stringify(encodePart(part, new Map(), takes))).not.toContain('secret');
  });

  it('what the other side does not take is told in words', () => {
    const part: Part = { type: 'artifact_ref', artifact_id: 'artifact_1', visibility: 'public' };
    const content = { bytes: Buffer.from('abc'), mimeType: 'text/plain' };
    const none = { image: false, audio: false, embeddedContext: false };
    expect(encodePart(part, new Map([['artifact_1', content]]), none)).toMatchObject({ type: 'text' });
    expect(encodePart(part, new Map(), takes)).toMatchObject({ type: 'resource_link' });
  });
});
