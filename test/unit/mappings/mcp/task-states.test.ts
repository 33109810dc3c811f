import { describe, expect, it } from 'vitest';
import { codeOfFailure, MCP_ERRORS } from '../../../../mappings/mcp/errors.ts';
import { type HarnTaskState, type McpTaskState, TASK_STATES } from '../../../../mappings/mcp/task-states.ts';

const { toForeign, fromForeign } = TASK_STATES;

describe('the states of MCP tasks', () => {
  it.each(Object.keys(toForeign) as HarnTaskState[])(
    '[MCP-TASK-1] %s goes there and back, or says what it loses',
    (state) => {
      const there = TASK_STATES.encode(state);
      const back = there.known ? TASK_STATES.decode(there.word) : there;
      const isSame = back.known && back.word === state;
      expect(isSame || there.loses !== undefined).toBe(true);
    },
  );

  it.each(Object.keys(fromForeign) as McpTaskState[])('[MCP-TASK-1] %s comes here and goes back', (word) => {
    const here = TASK_STATES.decode(word);
    expect(here.known && TASK_STATES.encode(here.word)).toMatchObject({ word });
  });

  it('[MCP-TASK-2] a word that nobody knows is never a success', () => {
    expect(TASK_STATES.decode('done')).toEqual({ known: false, raw: 'done', loses: undefined });
  });

  it.each([
    ['invalid_request', MCP_ERRORS.invalid_params],
    ['deadline_exceeded', MCP_ERRORS.internal_error],
    ['a_code_of_an_agent', MCP_ERRORS.internal_error],
    ['toString', MCP_ERRORS.internal_error],
    [undefined, MCP_ERRORS.internal_error],
  ])('a Task that failed with %s has the code %i', (code, expected) => {
    expect(codeOfFailure(code)).toBe(expected);
  });
});
