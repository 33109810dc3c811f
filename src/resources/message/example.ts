import { MESSAGE, question, resource, TASK_ID, text, whole } from '#resources/example-world.ts';
import type { Examples } from '#resources/room.ts';

export const message = resource('message', MESSAGE, {
  ...whole,
  task_id: TASK_ID,
  role: 'user',
  parts: text('Say hello.'),
});

/** What the OpenAPI document shows, by the name of a schema, or of an operation and `request` or `response`. */
export const examples = {
  Message: message,
  AppendMessageRequest: { message: question('The order number is 17.') },
  AppendTaskMessageRequest: { kind: 'input', message: question('The blue one.') },
} satisfies Examples;
