import type { CredentialOfCall } from '../../gateway.ts';
import { send } from '../http/answer.ts';
import type { Exchange } from '../http/exchange.ts';

export interface MetricsSource {
  /** Rejects with a ProtocolError for a caller who may not read the metrics. */
  authorize(credential: CredentialOfCall): Promise<void>;
  /** The metrics in the Prometheus text format. */
  read(): Promise<{ contentType: string; text: string }>;
}

/** `/metrics` needs authentication, not the version header (contract C22). */
export async function answerMetrics(source: MetricsSource, exchange: Exchange): Promise<void> {
  await source.authorize(exchange.credential);
  const { contentType, text } = await source.read();
  send(exchange, 200, contentType, text);
}
