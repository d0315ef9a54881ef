// The client of protocol revision 2024-11-05: requests are posted, and all answers arrive on one event stream.
import { request } from 'node:http';

/** Opens the event stream and initializes the session. `ask` resolves when the answer has arrived on the stream. */
export async function openSseClient(url) {
  const pending = new Map();
  const stream = await new Promise((resolve, reject) => {
    request(url, { headers: { accept: 'text/event-stream' } }, resolve)
      .on('error', reject)
      .end();
  });
  let text = '';
  const endpoint = Promise.withResolvers();
  stream.on('data', (chunk) => {
    text += chunk;
    const events = text.split(/\r?\n\r?\n/);
    text = events.pop();
    for (const event of events) receive(event);
  });

  stream.on('close', () => {
    const cause = new Error('the event stream has ended');
    endpoint.reject(cause);
    for (const { reject } of pending.values()) reject(cause);
  });

  function receive(event) {
    const data = event
      .split(/\r?\n/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(5).trim())
      .join('\n');
    if (/^event: ?endpoint/m.test(event)) return endpoint.resolve(new URL(data, url));
    const id = data.startsWith('{') ? JSON.parse(data).id : undefined;
    pending.get(id)?.resolve({ status: 200, body: Buffer.from(data) });
    pending.delete(id);
  }

  function post(message) {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    return new Promise((resolve, reject) => {
      request(to, { method: 'POST', headers }, (response) => response.resume().on('end', resolve))
        .on('error', reject)
        .end(body);
    });
  }

  async function ask(id, method, params = {}) {
    const answered = Promise.withResolvers();
    pending.set(id, answered);
    await Promise.all([post({ id, method, params }), answered.promise]);
    return answered.promise;
  }

  const to = await endpoint.promise;
  const clientInfo = { name: 'bench', version: '1' };
  await ask(0, 'initialize', { protocolVersion: '2024-11-05', capabilities: {}, clientInfo });
  await post({ method: 'notifications/initialized' });
  return { ask, close: () => stream.destroy() };
}
