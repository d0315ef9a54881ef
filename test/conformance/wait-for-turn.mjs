// Loaded before the program. The suite starts all its scenarios at once; whoever started the suite says whose turn it is.
import { once } from 'node:events';
import { connect } from 'node:net';

const turn = connect(Number(process.env.TOOLWHARF_TURNS_PORT), '127.0.0.1');
await once(turn, 'data');
// The turn ends with the process, and must not keep it from ending.
turn.unref();
