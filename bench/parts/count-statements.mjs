// A TCP proxy in front of PostgreSQL that counts what a gateway sends: statements, and round trips (messages that the
// gateway waits for).
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

const types = { query: 0x51, bind: 0x42, sync: 0x53 };

/** Starts the proxy on a free port. `take()` returns the counts since it was last called. */
export async function countStatements(port) {
  let counts = { statements: 0, roundTrips: 0 };
  const sockets = new Set();
  const server = createServer((client) => {
    const database = connect(port, '127.0.0.1');
    const read = createReader((type) => {
      if (type === types.query || type === types.bind) counts.statements++;
      if (type === types.query || type === types.sync) counts.roundTrips++;
    });
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.setNoDelay(true).on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        database.destroy();
      });
    }
    client.on('data', (chunk) => {
      read(chunk);
      database.write(chunk);
    });
    database.on('data', (chunk) => client.write(chunk));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: server.address().port,
    take() {
      const taken = counts;
      counts = { statements: 0, roundTrips: 0 };
      return taken;
    },
    async stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Calls `onMessage` with the type of each message after the first one, which has none. */
function createReader(onMessage) {
  let head = Buffer.alloc(0);
  let skip = 0;
  let hasStarted = false;
  return (chunk) => {
    let rest = head.length > 0 ? Buffer.concat([head, chunk]) : chunk;
    for (;;) {
      const skipped = Math.min(skip, rest.length);
      rest = rest.subarray(skipped);
      skip -= skipped;
      const size = hasStarted ? 5 : 4;
      if (rest.length < size) break;
      if (hasStarted) onMessage(rest[0]);
      // The length counts itself but not the type.
      skip = rest.readUInt32BE(size - 4) + size - 4;
      hasStarted = true;
    }
    head = Buffer.from(rest);
  };
}
