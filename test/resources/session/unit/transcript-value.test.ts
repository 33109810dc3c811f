import { describe, expect, it } from 'vitest';
import type { Event } from '#eventlog/event-log.ts';
import type { ArtifactState } from '#resources/artifact/state.ts';
import type { Message, Part } from '#resources/message/schema.ts';
import { part } from '#resources/message/schema.ts';
import type { Session } from '#resources/session/schema.ts';
import { blockOfPart, partOfBlock } from '#resources/session/transcript/blocks.ts';
import { systemPromptEvent, transcriptEventOf } from '#resources/session/transcript/event-layer.ts';
import { extractSummary } from '#resources/session/transcript/extract.ts';
import {
  transcriptAsset,
  transcriptHead,
  transcriptMessage,
} from '#resources/session/transcript/transcript.ts';

const AT = '2026-11-21T00:00:00.000Z';
const visibility = 'public' as const;
const PARTS: Record<Part['type'], Part> = {
  text: { type: 'text', text: 'Review this', visibility, metadata: { a: 1 } },
  json: { type: 'json', value: { b: [2] }, visibility },
  tool_call: { type: 'tool_call', tool_call_id: 'c1', name: 'grep', input: { q: 'x' }, visibility },
  tool_result: { type: 'tool_result', tool_call_id: 'c1', output: null, status: 'error', visibility },
  artifact_ref: { type: 'artifact_ref', artifact_id: 'artifact_1', visibility: 'internal' },
  file_ref: { type: 'file_ref', uri: 'https://x.test/a', mime_type: 'text/plain', visibility },
  image_ref: { type: 'image_ref', artifact_id: 'artifact_2', mime_type: 'image/png', visibility },
};

function message(parts: Part[], role: Message['role'] = 'user'): Message {
  const owner = { workspace_id: 'workspace_default', session_id: 'session_1', task_id: null };
  return {
    id: 'message_1',
    object: 'message',
    created_at: AT,
    updated_at: AT,
    metadata: {},
    ...owner,
    role,
    parts,
  };
}

function event(kind: Event['event'], payload: Event['payload']): Event {
  return {
    actor: null,
    created_at: AT,
    event: kind,
    id: '00000000000000000007',
    metadata: {},
    object: 'event',
    payload,
    previous_event_id: null,
    resource: { object: 'session', id: 'session_1' },
    sequence: 1,
    session_id: 'session_1',
    span_id: null,
    task_id: null,
    trace_id: null,
    updated_at: AT,
    workspace_id: 'workspace_default',
  };
}

describe('blocks of a transcript', () => {
  it.each(Object.entries(PARTS))('a %s part becomes a block and the same part again', (_type, given) => {
    const block = blockOfPart(given);
    expect(partOfBlock(block)).toEqual(given);
    expect(part.safeParse(partOfBlock(block)).success).toBe(true);
  });

  it('blocks name assets by asset_id and hold no bytes', () => {
    expect(blockOfPart(PARTS.image_ref)).toEqual({
      type: 'image',
      asset_id: 'artifact_2',
      mime_type: 'image/png',
      visibility,
    });
    expect(blockOfPart(PARTS.artifact_ref)).toEqual({
      type: 'asset',
      asset_id: 'artifact_1',
      visibility: 'internal',
    });
  });

  it('a block type that no part becomes is no part', () => {
    expect(partOfBlock({ type: 'hologram', visibility })).toBeUndefined();
  });
});

describe('events of a transcript', () => {
  const nameOf = (id: string) => (id === 'artifact_2' ? 'screenshot.png' : id);

  it('a message event has role, blocks, and a text that names its images', () => {
    const said = message([PARTS.image_ref, PARTS.text]);
    expect(transcriptEventOf(event('user.message', { message: said as never }), nameOf, true)).toEqual({
      kind: 'message',
      role: 'user',
      visibility,
      event_id: '00000000000000000007',
      event: 'user.message',
      created_at: AT,
      message_id: 'message_1',
      task_id: null,
      text: '<image:screenshot.png> Review this',
      blocks: [blockOfPart(PARTS.image_ref), blockOfPart(PARTS.text)],
    });
  });

  it.each([
    ['task.started', 'task'],
    ['session.compacted', 'compaction'],
    ['tool.approval_required', 'permission_requested'],
    ['vendor.harn_gateway.permission_resolved', 'permission_resolved'],
    ['vendor.harn_gateway.transcript_budget', 'transcript_budget'],
    ['vendor.harn_gateway.upstream_note', 'host'],
    ['receipt.issued', 'receipt'],
  ] as const)('%s is of the kind %s and keeps name, id and payload', (name, kind) => {
    const made = transcriptEventOf(event(name, { fact: 1 }), nameOf, true);
    expect(made).toMatchObject({ kind, event: name, event_id: '00000000000000000007', data: { fact: 1 } });
  });

  it('the system prompt is one internal event with its fingerprint only', () => {
    const prompt = 'Be exact.';
    // The SHA-256 of the RFC 8785 bytes "Be exact.", quotes included, made with sha256sum.
    const fingerprint = 'sha256:1b17958ff9167dd924eb6218d604b3814f23d01e46c55c1b1bb0c49ab0c11e30';
    const leading = systemPromptEvent({ system_prompt: prompt }, true);
    expect(leading).toMatchObject({ kind: 'system_prompt', visibility: 'internal', fingerprint });
    expect(JSON.stringify(leading)).not.toContain(prompt);
    expect(systemPromptEvent({ system_prompt: prompt }, false)).not.toHaveProperty('fingerprint');
    expect(systemPromptEvent({}, true)).toBeUndefined();
  });

  it('an event that set the system prompt tells its fingerprint in the place of the prompt', () => {
    const session = { id: 'session_1', metadata: { system_prompt: 'Be exact.', other: 1 } };
    const made = transcriptEventOf(event('session.created', { session }), nameOf, true);
    expect(JSON.stringify(made)).not.toContain('Be exact.');
    expect(made).toMatchObject({ data: { session: { metadata: { other: 1 } } } });
  });
});

describe('the head, messages and assets of a transcript', () => {
  const session: Session = {
    id: 'session_01ABC',
    object: 'session',
    created_at: AT,
    updated_at: AT,
    metadata: { system_prompt: 'Be exact.' },
    workspace_id: 'workspace_default',
    state: 'PAUSED',
    transcript: {},
    persona_id: null,
    root_session_id: 'session_0',
    parent_session_id: 'session_0',
    branch_id: 'branch_1',
    last_event_id: null,
    summary: null,
    expires_at: null,
  };

  it('the head is version 2, with the system prompt in its metadata and its lineage', () => {
    expect(transcriptHead(session, 3)).toMatchObject({
      _type: 'transcript',
      version: 2,
      id: 'tr_01ABC',
      state: 'active',
      summary: null,
      metadata: {
        system_prompt: 'Be exact.',
        lineage: {
          session_id: 'session_01ABC',
          parent_session_id: 'session_0',
          turn_count: 3,
          archived: null,
        },
      },
    });
  });

  it('a message has role, content and its place', () => {
    expect(transcriptMessage(message([PARTS.text]), 4)).toEqual({
      id: 'message_1',
      role: 'user',
      content: [blockOfPart(PARTS.text)],
      position: 4,
      created_at: AT,
      task_id: null,
    });
  });

  it('an asset is a descriptor with the address of its content, once that is stable', () => {
    const sha256 = 'a'.repeat(64);
    const state = artifact(sha256, true);
    expect(transcriptAsset(state)).toMatchObject({
      _type: 'transcript_asset',
      id: 'artifact_2',
      kind: 'image',
      storage: { path: `sha256/${sha256}`, sha256: `sha256:${sha256}`, size: 9 },
      name: 'screenshot.png',
    });
    expect(transcriptAsset(artifact(null, false)).storage).toMatchObject({ path: null, sha256: null });
  });

  function artifact(sha256: string | null, closed: boolean): ArtifactState {
    return {
      resource: {
        id: 'artifact_2',
        object: 'artifact',
        created_at: AT,
        updated_at: AT,
        metadata: {},
        kind: 'image',
        mime_type: 'image/png',
        uri: '/v1/artifacts/artifact_2/content',
        visibility,
        sha256,
        workspace_id: 'workspace_default',
        session_id: 'session_1',
        task_id: null,
        receipt_id: null,
      },
      internal: {
        store: 'bytes',
        first_piece: 0,
        pieces: 1,
        all_text: false,
        size: 9,
        upstream_id: null,
        name: 'screenshot.png',
        closed,
      },
    };
  }
});

describe('an extract', () => {
  it('quotes first and last turns, counts those between, and shows public text only', () => {
    const hidden: Part = { type: 'text', text: 'thought', visibility: 'internal' };
    const text = (words: string): Part => ({ type: 'text', text: words, visibility });
    const summary = extractSummary({
      earlier: 'Before: greetings.',
      first: [message([text('Why did\nit fail?')])],
      between: 5,
      last: [message([hidden], 'agent'), message([hidden, text('Stale config.'), PARTS.image_ref], 'agent')],
    });
    expect(summary.split('\n')).toEqual([
      'Before: greetings.',
      'user: Why did it fail?',
      '(5 turns not quoted)',
      'agent: (nothing public)',
      'agent: Stale config. <image:artifact_2>',
    ]);
  });

  it('bounds what it quotes and never ends inside of a character', () => {
    const long: Part = { type: 'text', text: `${'a'.repeat(239)}😀${'b'.repeat(99)}`, visibility };
    const summary = extractSummary({ earlier: null, first: [message([long])], between: 0, last: [] });
    expect(summary).toBe(`user: ${'a'.repeat(239)}…`);
  });
});
