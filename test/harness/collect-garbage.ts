import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Collects garbage every few milliseconds while something is awaited: what nobody refers to is gone then. */
export async function collectingGarbage<T>(work: Promise<T>): Promise<T> {
  const timer = setInterval(collect, 5);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}
