import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { expect, test } from 'vitest';
import { startExport } from '../../packages/gateway/features/audit-export/export-journal.ts';
import { silentLog } from '../../packages/toolwharf/kernel/log.ts';
import type { AuditEntry } from '../../packages/toolwharf/storage/ports/audit.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { collectLog, fixture, tempDir } from '../support/fixtures.ts';
import { waitFor } from '../support/wait-for.ts';

const certificates = new URL('../fixtures/tls/', import.meta.url).pathname;

/** A collector that takes lines of JSON; `fail` decides which requests it rejects after reading them. */
async function startCollector(fail: (request: number) => boolean = () => false) {
  const requests: { lines: string[]; authorization?: string }[] = [];
  const server = createHttpServer({ keepAliveTimeout: 600_000 }, async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    requests.push({ lines: body.split('\n').filter(Boolean), authorization: request.headers.authorization });
    response.writeHead(fail(requests.length) ? 503 : 204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`,
    requests,
    seqs: () => requests.flatMap(({ lines }) => lines.map((line) => Number(JSON.parse(line).seq))),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A syslog server for RFC 5425, which closes a connection when the client has ended it. */
async function startSyslog() {
  const messages: string[] = [];
  const pem = (name: string) => readFile(join(certificates, name));
  const options = { cert: await pem('first.crt'), key: await pem('first.key') };
  const server = createServer(options, async (socket) => {
    const parts: Buffer[] = [];
    try {
      for await (const part of socket) parts.push(part as Buffer);
    } catch {
      return;
    }
    let rest = Buffer.concat(parts);
    while (rest.length > 0) {
      const space = rest.indexOf(' ');
      const length = Number(rest.subarray(0, space).toString());
      messages.push(rest.subarray(space + 1, space + 1 + length).toString('utf8'));
      rest = rest.subarray(space + 1 + length);
    }
    socket.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `tls://127.0.0.1:${(server.address() as AddressInfo).port}`,
    messages,
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, 'close');
    },
  };
}

/** Every entry of the journal. */
async function readJournal({ storage }: TestApi): Promise<readonly AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for await (const entry of storage.audit.export()) entries.push(entry);
  return entries;
}

test('the journal goes to a file, a syslog server over TLS and a collector: everything, in order, without arguments in OCSF', async () => {
  await using folder = await tempDir();
  await using collector = await startCollector();
  await using syslog = await startSyslog();
  // A line that a crash has cut.
  await writeFile(folder.file('audit.jsonl'), '{"cut":');
  const api = await startApi(
    {
      servers: { s: fixture('legacy') },
      gateway: {
        auditExport: [
          { name: 'file', type: 'file', format: 'json', path: folder.file('audit.jsonl') },
          { name: 'siem', type: 'syslog', server: syslog.url, ca: join(certificates, 'ca.crt') },
          { name: 'collector', type: 'http', url: collector.url, authorization: '${COLLECTOR}' },
        ],
      },
    },
    { env: { ...process.env, COLLECTOR: 'Bearer collector-KEY' } },
  );
  await using _closing = { [Symbol.asyncDispose]: () => api.close() };
  const key = api.adminToken;
  await api.post('/api/tools/mcp_s_echo/call', { arguments: { text: 'very-PRIVATE' } }, { key });
  await api.post('/api/tools/mcp_s_fail/call', { arguments: {} }, { key });
  await api.key(['read']);
  const expected = await readJournal(api);
  expect(expected.length).toBeGreaterThan(3);
  const seqs = expected.map(({ seq }) => seq);
  const events = () => collector.requests.flatMap(({ lines }) => lines.map((line) => JSON.parse(line)));
  await waitFor(() => events().length >= seqs.length && syslog.messages.length >= seqs.length);
  expect(events().map(({ metadata }) => metadata.sequence)).toEqual(seqs);
  expect(collector.requests[0]?.authorization).toBe('Bearer collector-KEY');
  const [first] = syslog.messages;
  expect(first).toMatch(
    /^<110>1 \d{4}-\d\d-\d\dT[\d:.]+Z \S+ toolwharf \d+ audit \[origin software="toolwharf"[^\]]*\] \ufeff\{/,
  );
  expect(syslog.messages.map((message) => JSON.parse(message.slice(message.indexOf('\ufeff') + 1)))).toEqual(events());
  const lines = await waitFor(async () => {
    const text = (await readFile(folder.file('audit.jsonl'), 'utf8')).split('\n').filter(Boolean);
    return text.length > seqs.length ? text : undefined;
  });
  expect(lines?.[0]).toBe('{"cut":');
  expect(lines?.slice(1).map((line) => JSON.parse(line))).toEqual(JSON.parse(JSON.stringify(expected)));
  expect(lines?.join()).toContain('very-PRIVATE');
  expect(JSON.stringify(events())).not.toContain('very-PRIVATE');
  const ofCall = events().filter(({ api: { operation } }) => operation === 'tools/call echo');
  expect(ofCall.at(-1)).toMatchObject({
    class_uid: 6003,
    category_uid: 6,
    activity_id: 99,
    type_uid: 600399,
    status_id: 1,
    severity_id: 1,
    actor: { user: { uid: 'admin', name: 'Administrator', type_id: 1 } },
    api: { operation: 'tools/call echo', service: { name: 's' } },
    resources: [{ name: 's/echo', type: 'tool' }],
    metadata: { version: '1.4.0', product: { name: 'Toolwharf' }, log_name: 'journal' },
  });
  const acts = events().filter(({ api: { operation } }) => operation === 'createKey');
  expect(acts.at(-1)).toMatchObject({ activity_id: 1, type_uid: 600301 });
});

test('an export that fails, stops and moves to another replica repeats entries and loses none', async () => {
  await using api = await startApi({ servers: { s: fixture('legacy') } });
  const key = api.adminToken;
  const call = () => api.post('/api/tools/mcp_s_echo/call', { arguments: { text: 'x' } }, { key });
  for (let count = 0; count < 4; count++) await call();
  // It takes the entries of the first request and says that it did not.
  await using collector = await startCollector((request) => request === 1);
  const { log, entries: logged } = collectLog();
  const open = (stop: AbortController) =>
    startExport(
      { name: 'siem', type: 'http', format: 'json', url: collector.url },
      { storage: api.storage, log, stopping: stop.signal, env: {}, pollMs: 5, leaseMs: 60_000 },
    );
  const [one, two] = [new AbortController(), new AbortController()];
  const first = open(one);
  const all = async () => (await readJournal(api)).map(({ seq }) => seq);
  const before = await all();
  await waitFor(() => collector.seqs().length === 2 * before.length);
  // The other replica waits while this one exports.
  const second = open(two);
  one.abort();
  await first.close();
  await call();
  const after = await all();
  await waitFor(() => collector.seqs().at(-1) === after.at(-1));
  expect(collector.seqs()).toEqual([...before, ...after]);
  expect(logged.map(({ event }) => event)).toEqual(['audit-export.failed', 'audit-export.resumed']);
  two.abort();
  await second.close();
});

test('of two replicas that export at the same time, one does, and no entry is sent twice', async () => {
  await using api = await startApi({ servers: { s: fixture('legacy') } });
  await using collector = await startCollector();
  const stop = new AbortController();
  const replicas = [1, 2].map(() =>
    startExport(
      { name: 'siem', type: 'http', format: 'json', url: collector.url },
      { storage: api.storage, log: silentLog, stopping: stop.signal, env: {}, pollMs: 2, leaseMs: 60_000 },
    ),
  );
  for (let count = 0; count < 5; count++)
    await api.post('/api/tools/mcp_s_echo/call', { arguments: { text: 'x' } }, { key: api.adminToken });
  const seqs = (await readJournal(api)).map(({ seq }) => seq);
  await waitFor(() => collector.seqs().length >= seqs.length);
  stop.abort();
  await Promise.all(replicas.map(({ close }) => close()));
  expect(collector.seqs()).toEqual(seqs);
});
