import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { ConnectionError } from '../../../contract/errors.ts';
import { isSameSecret, proveAdminToken } from '../../../gateway/core/auth/admin-token.ts';

const responseTimeoutMs = 30_000;
const maxHeadBytes = 16 * 1024;
const headEnd = '\r\n\r\n';

/**
 * Opens a connection to the gateway of a data directory and asks it to prove that it knows the admin token, which is not sent.
 * Nothing else is sent before the proof: when a gateway stops, another program may listen on its port. Throws if the proof
 * is missing or wrong.
 */
export async function connectToGateway(url: string, adminToken: string): Promise<Socket> {
  const { hostname, host, port } = new URL(url);
  const challenge = randomBytes(32).toString('base64url');
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80), noDelay: true });
  try {
    socket.write(`HEAD /healthz HTTP/1.1\r\nhost: ${host}\r\nx-toolwharf-challenge: ${challenge}${headEnd}`);
    const head = await readHead(socket);
    const proof = /^x-toolwharf-proof: *(\S+)\r$/im.exec(head)?.[1];
    if (proof === undefined || !isSameSecret(proof, proveAdminToken(adminToken, challenge, Number(port || 80)))) {
      const message = `Another program than the gateway of the data directory listens at ${url}`;
      // Nothing but the challenge was sent, so the request can be sent to the gateway once it is found.
      throw new ConnectionError('SERVER_UNREACHABLE', message, { data: { reached: false, network: 'UNPROVEN' } });
    }
    return socket;
  } catch (cause) {
    socket.on('error', () => {}).destroy();
    throw cause;
  }
}

/** Whether the connection failed because the gateway is not there: no program, or another one, listens on its port. */
export function isAbsent(cause: unknown): boolean {
  if (cause instanceof ConnectionError) return cause.data.network === 'UNPROVEN';
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';
}

/** Reads the status line and headers of a response without a body, and nothing after it. */
function readHead(socket: Socket): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const timer = setTimeout(() => reject(new Error('no response in time')), responseTimeoutMs);
  let head = '';
  const onData = (chunk: Buffer) => {
    head += chunk.toString('latin1');
    if (head.endsWith(headEnd)) resolve(head);
    else if (head.includes(headEnd) || head.length > maxHeadBytes) resolve('');
  };
  const onEnd = () => resolve('');
  socket.on('data', onData).once('end', onEnd).once('error', reject);
  return promise.finally(() => {
    clearTimeout(timer);
    socket.off('data', onData).off('end', onEnd).off('error', reject);
  });
}
