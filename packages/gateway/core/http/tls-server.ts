import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type RequestListener, type ServerOptions, STATUS_CODES } from 'node:http';
import { createServer, type Server } from 'node:https';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { messageOf, ToolwharfError } from '../../../contract/errors.ts';
import type { TlsConfig } from '../../../contract/settings/gateway-config.ts';
import { directoriesTo } from '../../../toolwharf/config/watch-config.ts';
import { hashOf } from '../../../toolwharf/kernel/canonical-json.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import { isLoopback } from './guard.ts';

export interface TlsServerOptions extends ServerOptions {
  readonly log: Log;
  /** Ends the watch of the files, and the connections that have sent nothing yet. */
  readonly stopping: AbortSignal;
}

/** The first byte of a TLS connection: the record type of a handshake. */
const handshake = 0x16;
const silentMs = 10_000;
const debounceMs = 100;
/** Some file systems report no changes. */
const recheckMs = 60_000;

/**
 * Serves https, and on the same port plain http to programs of this machine, such as the command line. Uses other certificates when
 * their files change. Rejects if the files cannot be used.
 */
export async function createTlsServer(
  files: TlsConfig,
  listener: RequestListener,
  { log, stopping, ...timeouts }: TlsServerOptions,
): Promise<Server> {
  const first = await readFiles(files);
  const server = createServer({ ...timeouts, ...toContext(files, first), handshakeTimeout: silentMs }, listener);
  const [startTls] = server.listeners('connection');
  const silent = new Set<Socket>();
  server.removeAllListeners('connection');
  server.on('connection', (socket: Duplex) => {
    // A connection inside this process.
    if (!(socket instanceof Socket)) return void server.emit('secureConnection', socket);
    silent.add(socket);
    const end = () => void socket.destroy();
    const timer = setTimeout(end, silentMs);
    const forget = () => {
      clearTimeout(timer);
      silent.delete(socket);
    };
    socket.once('close', forget).once('error', end);
    socket.once('readable', () => {
      const byte = socket.read(1) as Buffer | null;
      if (byte === null) return;
      forget();
      socket.unshift(byte);
      if (byte[0] === handshake) startTls?.call(server, socket);
      else if (isOfThisMachine(socket)) server.emit('secureConnection', socket);
      else refusePlain(socket);
    });
  });
  const stopWatching = watchFiles(files, first.hash, log, (contents) => {
    server.setSecureContext(toContext(files, contents));
    log.info('gateway.certificate-changed', 'The gateway uses the changed certificate from now on', {
      file: files.cert,
    });
  });
  stopping.addEventListener(
    'abort',
    () => {
      stopWatching();
      for (const socket of silent) socket.destroy();
    },
    { once: true },
  );
  return server;
}

/** Over its own address a machine reaches only itself. */
function isOfThisMachine({ remoteAddress = '', localAddress }: Socket): boolean {
  return isLoopback(remoteAddress.replace(/^::ffff:/, '')) || remoteAddress === localAddress;
}

function refusePlain(socket: Socket): void {
  const text = 'This address speaks https only\n';
  const head = `HTTP/1.1 426 ${STATUS_CODES[426]}\r\nUpgrade: TLS/1.2, HTTP/1.1\r\nConnection: close\r\n`;
  // What the client sends is discarded; a reset could overtake the response.
  socket.resume();
  socket.end(`${head}Content-Type: text/plain\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
}

interface Contents {
  readonly cert: string;
  readonly key: string;
  readonly clientCa?: string;
  readonly hash: string;
}

async function readFiles({ cert, key, clientCa }: TlsConfig): Promise<Contents> {
  const read = (file: string, setting: string) =>
    readFile(file, 'utf8').catch((cause) => {
      throw unusable(`gateway.tls.${setting} can't be read: ${messageOf(cause)}`, cause);
    });
  const contents = {
    cert: await read(cert, 'cert'),
    key: await read(key, 'key'),
    clientCa: clientCa === undefined ? undefined : await read(clientCa, 'clientCa'),
  };
  return { ...contents, hash: hashOf(contents) };
}

/** Throws if the certificate and the key do not fit. */
function toContext(files: TlsConfig, { cert, key, clientCa }: Contents) {
  const context: SecureContextOptions = { cert, key, ca: clientCa, minVersion: 'TLSv1.2' };
  try {
    createSecureContext(context);
  } catch (cause) {
    const where = [files.cert, files.key, files.clientCa].filter(Boolean).join(', ');
    throw unusable(`The files of gateway.tls can't be used (${where}): ${messageOf(cause)}`, cause);
  }
  return clientCa === undefined ? context : { ...context, requestCert: true, rejectUnauthorized: true };
}

function unusable(message: string, cause: unknown): ToolwharfError {
  return new ToolwharfError('CONFIG_INVALID', message, { cause });
}

/** Calls `use` with each new content. What cannot be used is logged, and tried again when the files change again. */
function watchFiles(files: TlsConfig, used: string, log: Log, use: (contents: Contents) => void): () => void {
  const watchers = new Map<string, { close(): void }>();
  let seen = used;
  let refused: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function watchDirectory(directory: string): void {
    if (watchers.has(directory) || isClosed) return;
    const forget = () => {
      watchers.get(directory)?.close();
      watchers.delete(directory);
      checkSoon();
    };
    try {
      watchers.set(directory, watch(directory, { persistent: false }, checkSoon).on('error', forget));
    } catch {
      // Tried again at the next check.
    }
  }

  async function watchDirectories(): Promise<void> {
    const used = [files.cert, files.key, files.clientCa].filter((file) => file !== undefined);
    const wanted = new Set((await Promise.all(used.map(directoriesTo))).flatMap((directories) => [...directories]));
    for (const [directory, watcher] of watchers) {
      if (wanted.has(directory)) continue;
      watcher.close();
      watchers.delete(directory);
    }
    for (const directory of wanted) watchDirectory(directory);
  }

  function checkSoon(): void {
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(check, debounceMs).unref();
  }

  async function check(): Promise<void> {
    await watchDirectories();
    try {
      const contents = await readFiles(files);
      if (contents.hash === seen || isClosed) return;
      seen = contents.hash;
      use(contents);
      refused = undefined;
    } catch (cause) {
      // Certificate and key are written one after the other. A file that stays missing is reported once.
      if (refused === messageOf(cause)) return;
      refused = messageOf(cause);
      log.warning(
        'gateway.certificate-refused',
        `${messageOf(cause)}. The gateway goes on with the certificate before`,
      );
    }
  }

  const polling = setInterval(check, recheckMs).unref();
  void watchDirectories().then(checkSoon);
  return () => {
    isClosed = true;
    clearTimeout(timer);
    clearInterval(polling);
    for (const watcher of watchers.values()) watcher.close();
  };
}
