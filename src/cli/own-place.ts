import { type OwnPartition, partitionTools, takesCertificates } from '#compose/compose.ts';
import type { Config } from '#config/load.ts';
import { EXIT } from './exit-codes.ts';
import type { HandOver } from './partition-processes.ts';

/** What a gateway of one partition knows of the node that started it. */
export class OwnPlace {
  readonly partition: OwnPartition;
  readonly configOf: (whole: Config) => Config;
  /** Resolves when its node wants it to end, or has ended itself. */
  readonly left: Promise<string>;
  /** Its node has ended. */
  isAlone = false;
  #successor: string | undefined;
  #isWaiting = true;

  private constructor(id: string, whole: Config, configOf: (whole: Config) => Config) {
    this.partition = {
      id,
      nodeUrl: whole.store.advertise ?? '',
      grpcPort: whole.server.grpc?.port,
      takesCertificates: takesCertificates(whole),
      successor: () => this.#successor,
    };
    this.configOf = configOf;
    this.left = new Promise((resolve) => {
      process.once('disconnect', () => {
        this.isAlone = true;
        resolve('its node has ended');
      });
      process.on('message', ({ handOver }: HandOver) => {
        this.#successor = handOver;
        resolve('another node is to decide');
      });
    });
  }

  static async of(id: string, whole: Config): Promise<OwnPlace> {
    const { configOfPartition } = await partitionTools();
    const own = new OwnPlace(id, whole, (config) => configOfPartition(config, id));
    // While it waits for its turn it has nothing to drain.
    void own.left.then(() => own.#isWaiting && process.exit(EXIT.fine));
    return own;
  }

  /** It decides from now on. */
  decides(): void {
    this.#isWaiting = false;
  }

  /** Lets the process end although its node could still say something. */
  disconnect(): void {
    if (process.connected) process.disconnect();
  }
}
