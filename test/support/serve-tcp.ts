import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { fixture } from './fixtures.ts';

/** A fixture server over TCP on a free port: each connection gets its own process. */
export async function serveTcp(name: string): Promise<AsyncDisposable & { readonly port: number; hangUp(): void }> {
  const sockets = new Set<Socket>();
  const children: ChildProcess[] = [];
  const server = createServer((socket) => {
    const { command, args, env } = fixture(name);
    const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
    children.push(child);
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    child.stdin.on('error', () => {});
    socket.pipe(child.stdin);
    child.stdout.pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const hangUp = () => sockets.forEach((socket) => void socket.destroy());
  return {
    port: (server.address() as AddressInfo).port,
    hangUp,
    async [Symbol.asyncDispose]() {
      hangUp();
      server.close();
      const running = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
      await Promise.all(running.map((child) => [once(child, 'exit'), child.kill()][0]));
    },
  };
}
