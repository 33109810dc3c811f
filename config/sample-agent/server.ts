import { AGENT_CARD_PATH, AgentCard } from '@a2a-js/sdk';
import { type AgentExecutor, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express, { type ErrorRequestHandler, type Express } from 'express';
import card from './card.json' with { type: 'json' };

/** Room for a message with a file of some megabytes; express takes 100 kB where nothing is said. */
const MAX_BODY = '16mb';

/** The agent as an application of express. `origin`, without a trailing slash, is where its card says that it is. */
export function sampleAgentApp(origin: string, executor: AgentExecutor): Express {
  const requestHandler = new DefaultRequestHandler(cardAt(origin), new InMemoryTaskStore(), executor);
  // Clients of A2A 0.3 are served at the same addresses as those of 1.0.
  const legacyCompat = { enabled: true };
  const options = { requestHandler, userBuilder: UserBuilder.noAuthentication };
  const json = express.json({ limit: MAX_BODY, type: ['application/json', 'application/a2a+json'] });
  const app = express();
  app.use(`/${AGENT_CARD_PATH}`, agentCardHandler({ agentCardProvider: requestHandler, legacyCompat }));
  app.use('/rpc', json, parseError, jsonRpcHandler({ ...options, legacyCompat }));
  app.use('/rest', json, restHandler(options));
  return app;
}

function cardAt(origin: string): AgentCard {
  const supportedInterfaces = card.supportedInterfaces.map((each) => ({
    ...each,
    url: origin + new URL(each.url).pathname,
  }));
  return AgentCard.fromJSON({ ...card, supportedInterfaces });
}

/** What jsonRpcHandler says where it parses the body itself. */
const parseError: ErrorRequestHandler = (error, _request, response, next) => {
  if (!(error instanceof SyntaxError)) return next(error);
  response.json({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Invalid JSON payload.' } });
};
