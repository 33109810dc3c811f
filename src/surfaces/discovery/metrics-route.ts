import type { AdmittedCaller } from '#gateway.ts';
import { send } from '../http/answer.ts';
import type { Exchange } from '../http/exchange.ts';

export interface MetricsSource {
  /** Throws a ProtocolError for a caller who may not read the metrics. */
  authorize(caller: AdmittedCaller): void;
  /** The metrics in the Prometheus text format. */
  read(): Promise<{ contentType: string; text: string }>;
}

/** `/metrics` needs authentication, not the version header. */
export async function answerMetrics(source: MetricsSource, exchange: Exchange): Promise<void> {
  source.authorize(exchange.caller('exempt'));
  const { contentType, text } = await source.read();
  send(exchange, 200, contentType, text);
}
