// Calls a tool through the balancer, and shows which replica ran each call.
const { GATEWAY_URL = 'http://127.0.0.1:7420' } = process.env;

async function api<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json', connection: 'close' };
  const response = await fetch(new URL(path, GATEWAY_URL), { method, headers, body: body && JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json() as Promise<Answer>;
}

const tool = '/api/tools/mcp_everything_get-sum/call';
await Promise.all([1, 2, 3, 4, 5, 6].map((b) => api('POST', tool, { arguments: { a: 20, b } })));

const { calls } = await api<{ calls: { replica: string; arguments: { b: number } }[] }>('GET', '/api/calls?limit=6');
const byReplica = Map.groupBy(calls, ({ replica }) => replica);
console.log(`${calls.length} calls on ${byReplica.size} replicas, in one journal`);
for (const [replica, ran] of byReplica) console.log(`  ${replica}: ${ran.length}`);
