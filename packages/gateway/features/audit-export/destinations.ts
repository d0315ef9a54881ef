import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { connect as connectTls } from 'node:tls';
import type { AuditDestination } from '../../../contract/settings/audit-export-schema.ts';
import { type Environment, resolveReference } from '../../../toolwharf/config/references.ts';
import { version } from '../../../toolwharf/kernel/version.ts';

/** One entry of the journal as a destination gets it. */
export interface ExportLine {
  /** ISO time of the entry. */
  readonly at: string;
  readonly text: string;
}

/** Where lines go. `send` resolves when the destination has all of them, in order; if it rejects, they are sent again. */
export interface Destination {
  send(lines: readonly ExportLine[], signal: AbortSignal): Promise<void>;
}

export function openDestination(destination: AuditDestination, env: Environment): Destination {
  switch (destination.type) {
    case 'file':
      return { send: (lines) => appendLines(resolveReference(destination.path, env), lines) };
    case 'syslog':
      return { send: (lines, signal) => sendSyslog(destination, lines, signal) };
    case 'http': {
      const { url, authorization } = destination;
      return {
        async send(lines, signal) {
          const response = await fetch(resolveReference(url, env), {
            method: 'POST',
            redirect: 'manual',
            signal,
            headers: {
              'content-type': 'application/x-ndjson',
              ...(authorization !== undefined && { authorization: resolveReference(authorization, env) }),
            },
            body: toText(lines),
          });
          await response.body?.cancel();
          if (!response.ok) throw new Error(`the collector answered ${response.status}`);
        },
      };
    }
  }
}

const toText = (lines: readonly ExportLine[]) => lines.map(({ text }) => `${text}\n`).join('');

/** Durable when it resolves. A line that a crash has cut is ended first, so that it spoils no other. */
async function appendLines(path: string, lines: readonly ExportLine[]): Promise<void> {
  const file = await open(path, 'a+', 0o600);
  try {
    const { size } = await file.stat();
    const last = size > 0 ? (await file.read(Buffer.alloc(1), 0, 1, size - 1)).buffer.toString() : '\n';
    await file.appendFile(`${last === '\n' ? '' : '\n'}${toText(lines)}`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Facility 13 (log audit), severity 6 (informational). */
const priority = 13 * 8 + 6;

/**
 * RFC 5424 in the frames of RFC 5425. Syslog has no answer that a message was taken: each batch has a connection of its own, which counts as
 * taken when the server has closed it in turn, after the last byte.
 */
async function sendSyslog(
  { server, ca }: Extract<AuditDestination, { readonly type: 'syslog' }>,
  lines: readonly ExportLine[],
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const { protocol, hostname: host, port: portText } = new URL(server);
  const port = Number(portText);
  const plainHost = host.replace(/^\[|\]$/g, '');
  const socket: Socket =
    protocol === 'tls:'
      ? connectTls({
          host: plainHost,
          port,
          servername: isIP(plainHost) === 0 ? plainHost : undefined,
          ca: ca === undefined ? undefined : readFileSync(ca),
        })
      : connectTcp({ host: plainHost, port });
  const abort = () => socket.destroy(new Error('the server did not take the messages in time'));
  signal.addEventListener('abort', abort, { once: true });
  try {
    await once(socket, protocol === 'tls:' ? 'secureConnect' : 'connect');
    const closed = once(socket, 'close');
    // Only what is read lets the end of the server's side arrive.
    socket.resume();
    socket.end(lines.map(toFrame).join(''));
    await closed;
    if (socket.errored) throw socket.errored;
  } finally {
    signal.removeEventListener('abort', abort);
    socket.destroy();
  }
}

/** `{length} <{priority}>1 {time} {host} {program} {process} {message id} {data} {message}`. */
export function toFrame({ at, text }: ExportLine): string {
  const time = new Date(at).toISOString();
  const host =
    hostname()
      .replaceAll(/[^\x21-\x7e]/g, '')
      .slice(0, 255) || '-';
  const header = `<${priority}>1 ${time} ${host} toolwharf ${process.pid} audit [origin software="toolwharf" swVersion="${version}"]`;
  const message = `${header} \ufeff${text}`;
  return `${Buffer.byteLength(message)} ${message}`;
}
