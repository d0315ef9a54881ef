// Starts replicas of the gateway on one PostgreSQL database, and a balancer that knows nothing about sessions.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

const { DATABASE_URL, REPLICAS = '3', PORT = '7420' } = process.env;
if (!DATABASE_URL) throw new Error('Set DATABASE_URL, such as postgres://toolwharf:secret@127.0.0.1/toolwharf');
// All replicas need the same key. In production it comes from your secrets and stays the same.
const { TOOLWHARF_KEY = randomBytes(32).toString('base64') } = process.env;

async function startReplica(number: number): Promise<{ child: ChildProcess; port: number }> {
  const args = ['serve', '--port', '0', '--data-dir', `data/${number}`];
  const env = { ...process.env, TOOLWHARF_KEY };
  const child = spawn('toolwharf', args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  // The first line is the address.
  const [line] = await once(child.stdout, 'data');
  return { child, port: Number(new URL(String(line).trim()).port) };
}

const replicas = await Promise.all(Array.from({ length: Number(REPLICAS) }, (_, index) => startReplica(index + 1)));
let next = 0;
const balancer = createServer((client) => {
  const { port } = replicas[next++ % replicas.length] ?? { port: 0 };
  const gateway = connect(port, '127.0.0.1');
  client.pipe(gateway).pipe(client);
  client.on('error', () => gateway.destroy());
  gateway.on('error', () => client.destroy());
});
balancer.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(balancer.address() as AddressInfo).port}`);
});

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, async () => {
    balancer.close();
    await Promise.all(replicas.map(({ child }) => [once(child, 'exit'), child.kill()][0]));
    process.exit();
  });
