// Loaded before the program. The suite starts all its scenarios at once; the process that started the suite lets them run in turn.
import { once } from 'node:events';
import { connect } from 'node:net';

const turn = connect(Number(process.env.TOOLWHARF_TURNS_PORT), '127.0.0.1');
await once(turn, 'data');
// The turn ends with the process, and must not prevent the process from ending.
turn.unref();
