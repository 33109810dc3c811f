import { describe, expect, it } from 'vitest';
import { userText } from '../harness/client.ts';
import { stageOf } from './stage.ts';

describe('faults of a body', () => {
  const stage = stageOf();
  const wrong = async (path: string, body: unknown) => {
    const { id } = await stage.client.session();
    const answer = await stage.client.call('POST', path.replace('{session}', id), { body });
    expect(answer.status).toBe(400);
    return answer.body['error'] as { code: string; param: string; message: string };
  };
  const [text] = userText('hi').parts;

  it.each([
    [[], 'input', 'input: must be a Message with role and parts, or an object.'],
    [null, 'input', 'input: must be a Message with role and parts, or an object.'],
    ['hi', 'input', 'input: must be a Message with role and parts, or an object.'],
    [undefined, 'input', 'input: must be a Message with role and parts, or an object.'],
    [{ role: 'user', parts: [] }, 'input.parts', 'input.parts: must have at least 1 item.'],
    [{ role: 'user' }, 'input.parts', 'input.parts: is required.'],
    [{ role: 'user', parts: null }, 'input.parts', 'input.parts: must be an array.'],
    [
      { role: 'king', parts: [text] },
      'input.role',
      'input.role: must be one of "user", "assistant", "system", "tool", "agent".',
    ],
    [
      { role: 'user', parts: [{ ...text, type: 'song' }] },
      'input.parts[0].type',
      'input.parts[0].type: must be text, json, tool_call, tool_result, artifact_ref, file_ref or image_ref.',
    ],
    [
      { role: 'user', parts: [{ ...text, text: 5 }] },
      'input.parts[0].text',
      'input.parts[0].text: must be a string.',
    ],
    [{ role: 'user', parts: [7] }, 'input.parts[0]', 'input.parts[0]: must be an object.'],
  ])('[C28] task input %j is told what it must be', async (input, param, message) => {
    expect(await wrong('/v1/sessions/{session}/tasks', { input })).toMatchObject({ param, message });
  });

  it.each([
    ['/v1/sessions', {}, 'workspace_id: is required.'],
    ['/v1/sessions', { workspace_id: '' }, 'workspace_id: must have at least 1 character.'],
    ['/v1/sessions', { workspace_id: 'w', metadata: [] }, 'metadata: must be an object.'],
    ['/v1/sessions/{session}/messages', { message: null }, 'message: must be an object.'],
    ['/v1/sessions/{session}/inputs', { kind: 'x' }, 'kind: must be one of "list", "put", "remove", "sync".'],
  ])('%s with %j names the field and what is expected', async (path, body, message) => {
    expect((await wrong(path, body)).message).toBe(message);
  });
});
