// A program that connects one server, calls its tool once, and prints the processor time and the most memory that it took.
// LIBRARY=toolwharf|@ai-sdk/mcp   MODULE: its file   STDIO: that of stdio servers   SERVER: a script or a URL
const { LIBRARY, MODULE, STDIO, SERVER } = process.env;
const isUrl = SERVER.includes('://');
const args = { text: 'hello' };
const environment = { SDK: '1', PATH: process.env.PATH };

const { text, close } = LIBRARY === 'toolwharf' ? await callToolwharf() : await callAiSdk();
if (!text.includes(args.text)) throw new Error(`No answer: ${text}`);
const { user, system } = process.cpuUsage();
console.log(JSON.stringify({ cpuMs: (user + system) / 1_000, rssMb: process.resourceUsage().maxRSS / 1_024 }));
await close();

async function callToolwharf() {
  const { createToolbox } = await import(MODULE);
  const server = isUrl ? { url: SERVER } : { command: process.execPath, args: [SERVER], env: environment };
  const toolbox = await createToolbox({ servers: { echo: server } });
  const { text } = await toolbox.call({ server: 'echo', tool: 'echo' }, args);
  return { text, close: () => toolbox.close() };
}

async function callAiSdk() {
  const { createMCPClient } = await import(MODULE);
  const client = await createMCPClient({ transport: isUrl ? { type: 'http', url: SERVER } : await stdioOfAiSdk() });
  const { echo } = await client.tools();
  const result = await echo.execute(args, { toolCallId: '1', messages: [] });
  return { text: JSON.stringify(result), close: () => client.close() };
}

async function stdioOfAiSdk() {
  const { Experimental_StdioMCPTransport: Transport } = await import(STDIO);
  return new Transport({ command: process.execPath, args: [SERVER], env: environment });
}
