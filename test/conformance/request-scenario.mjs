// The program that the suite starts for each scenario. It requests the scenario from the process that started the suite, which has
// the library loaded, and prints its outcome.
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

const { env, argv } = process;
const scenario = {
  name: env.MCP_CONFORMANCE_SCENARIO ?? '',
  url: argv.at(-1),
  protocolVersion: env.MCP_CONFORMANCE_PROTOCOL_VERSION,
  context: JSON.parse(env.MCP_CONFORMANCE_CONTEXT ?? '{}'),
};
const socket = connect(Number(env.TOOLWHARF_SCENARIOS_PORT), '127.0.0.1');
socket.write(`${JSON.stringify(scenario)}\n`);
const failure = await text(socket);
if (failure === '') console.log('done');
else {
  console.error(failure);
  process.exitCode = 1;
}
