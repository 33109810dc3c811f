import { openLevelStore } from '#store/level-store.ts';
import { describeStoreContract } from './store-contract.ts';

describeStoreContract('the LevelDB store', (path) => openLevelStore({ path }));
