// Opens a toolbox with the given servers, prints the ids of their processes, and ends in the given way without closing it.
import { createToolbox } from '../../packages/toolwharf/index.ts';

const { servers, ending } = JSON.parse(process.argv[2] ?? '{}');
const toolbox = await createToolbox({ servers }, { startWaitMs: 60_000 });
console.log(JSON.stringify(toolbox.servers.list().map((server) => server.status.pid)));
if (ending === 'exit') setTimeout(() => process.exit(0), 50);
if (ending === 'throw') {
  setTimeout(() => {
    throw new Error('crash wanted by the test');
  }, 50);
}
