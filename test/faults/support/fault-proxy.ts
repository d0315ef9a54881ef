import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

type Direction = 'to-server' | 'to-client';

/** How the proxy treats bytes; an empty object forwards them unchanged. */
export interface ProxyFault {
  /** Delays each chunk. */
  readonly latencyMs?: number;
  /** Bytes per second on each connection. */
  readonly bytesPerSecond?: number;
  /** Silently drops bytes in this direction. */
  readonly drop?: Direction | 'both';
  /** Resets a connection after this many response bytes. */
  readonly resetAfterBytes?: number;
  /** New connections are closed at once. */
  readonly refuse?: boolean;
}

/** A TCP proxy that injects faults, also into open connections. */
export interface FaultProxy extends AsyncDisposable {
  readonly port: number;
  /** Replaces the server's port in a URL by the proxy's port. */
  through(url: string): string;
  /** Applies to open connections too. */
  set(fault: ProxyFault): void;
  /** Ends all connections: closes or resets them, or closes only the server side so that the client side stays half open. */
  end(how: 'close' | 'reset' | 'half-open'): void;
  /** The number of open client connections. */
  readonly open: number;
  /** The number of dropped bytes. */
  readonly dropped: number;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  answered: number;
  isAbandoned: boolean;
}

/** Starts a proxy on loopback in front of `serverPort`. */
export async function openFaultProxy(serverPort: number): Promise<FaultProxy> {
  let fault: ProxyFault = {};
  const pairs = new Set<Pair>();
  let dropped = 0;

  const listener = createServer({ allowHalfOpen: true }, (client) => {
    client.on('error', () => {});
    if (fault.refuse) {
      client.resetAndDestroy();
      return;
    }
    const server = connect({ port: serverPort, host: '127.0.0.1', allowHalfOpen: true });
    server.on('error', () => {});
    const pair: Pair = { client, server, answered: 0, isAbandoned: false };
    pairs.add(pair);
    client.on('close', () => {
      pairs.delete(pair);
      server.destroy();
    });
    server.on('close', () => {
      if (!pair.isAbandoned) client.destroy();
    });
    void pump(pair, 'to-server');
    void pump(pair, 'to-client');
  });

  async function pump(pair: Pair, direction: Direction): Promise<void> {
    const [from, to] = direction === 'to-server' ? [pair.client, pair.server] : [pair.server, pair.client];
    try {
      for await (const piece of from) await pass(pair, piece as Buffer, to, direction);
      if (!pair.isAbandoned) to.end();
    } catch {
      // The other side is closed by its own event.
    }
  }

  async function pass(pair: Pair, piece: Buffer, to: Socket, direction: Direction): Promise<void> {
    const { latencyMs = 0, bytesPerSecond } = fault;
    const delayMs = latencyMs + (bytesPerSecond === undefined ? 0 : (piece.length / bytesPerSecond) * 1_000);
    if (delayMs > 0) await wait(delayMs);
    const { drop, resetAfterBytes } = fault;
    if (pair.isAbandoned) return;
    if (drop === direction || drop === 'both') {
      dropped += piece.length;
      return;
    }
    if (direction === 'to-client' && resetAfterBytes !== undefined) {
      const left = resetAfterBytes - pair.answered;
      pair.answered += piece.length;
      if (piece.length > left) {
        await new Promise((resolve) => to.write(piece.subarray(0, Math.max(0, left)), resolve));
        reset(pair);
        return;
      }
    }
    if (!to.destroyed && !to.write(piece)) await Promise.race([once(to, 'drain'), once(to, 'close')]);
  }

  function end(how: 'close' | 'reset' | 'half-open'): void {
    for (const pair of pairs) {
      if (how === 'reset') reset(pair);
      else if (how === 'close') pair.client.destroy();
      else {
        pair.isAbandoned = true;
        pair.server.destroy();
      }
    }
  }

  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  return {
    port,
    through(url) {
      const address = new URL(url);
      address.port = String(port);
      return address.href;
    },
    set(next) {
      fault = next;
      for (const pair of pairs) pair.answered = 0;
    },
    end,
    get open() {
      return pairs.size;
    },
    get dropped() {
      return dropped;
    },
    async [Symbol.asyncDispose]() {
      const closed = once(listener, 'close');
      listener.close();
      end('close');
      await closed;
    },
  };
}

function reset({ client, server }: Pair): void {
  client.resetAndDestroy();
  server.resetAndDestroy();
}
