import type { AddressInfo } from 'node:net';
import { createConnection, createServer, type Socket } from 'node:net';

/** A connection pooler in front of Postgres. */
export interface Pooler extends AsyncDisposable {
  readonly port: number;
  /** How many sessions were reset. */
  readonly resets: number;
}

const query = 'Q'.charCodeAt(0);
const readyForQuery = 'Z'.charCodeAt(0);
const notification = 'A'.charCodeAt(0);
const idle = 'I'.charCodeAt(0);

/**
 * Behaves like a pooler that gives each transaction another session: after every transaction, everything that belongs to the
 * session is discarded, and notifications never arrive.
 */
export async function startPooler(port: number): Promise<Pooler> {
  const sockets = new Set<Socket>();
  let resets = 0;

  function join(client: Socket): void {
    const server = createConnection(port, '127.0.0.1');
    let received = Buffer.alloc(0);
    let isResetting = false;
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.on('data', (chunk) => server.write(chunk));
    server.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 5 && received.length > received.readUInt32BE(1)) {
        const length = received.readUInt32BE(1) + 1;
        pass(received.subarray(0, length));
        received = received.subarray(length);
      }
    });

    function pass(message: Buffer): void {
      if (message[0] === notification) return;
      const isIdle = message[0] === readyForQuery && message[5] === idle;
      if (isResetting) {
        // The client gets the answer to its own statement when the session has been reset.
        if (isIdle) {
          isResetting = false;
          client.write(message);
        }
        return;
      }
      if (!isIdle) return void client.write(message);
      isResetting = true;
      resets++;
      server.write(toQuery('discard all'));
    }
  }

  const listener = createServer(join);
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    port: (listener.address() as AddressInfo).port,
    get resets() {
      return resets;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => listener.close(() => resolve()));
    },
  };
}

function toQuery(text: string): Buffer {
  const body = Buffer.from(`${text}\0`);
  const head = Buffer.alloc(5);
  head[0] = query;
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
