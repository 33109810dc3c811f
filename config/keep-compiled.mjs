// Runs an entry of the bundle and keeps, when it ends, what V8 has compiled of the chunks that it loaded:
// node config/keep-compiled.mjs ./main.cjs serve ...
import { keepCompiled, load } from '../dist/bundle/load.js';

const [entry] = process.argv.splice(2, 1);
process.on('exit', keepCompiled);
load(entry);
