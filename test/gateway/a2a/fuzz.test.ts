import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../support/api.ts';
import { fixture } from '../../support/fixtures.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ servers: { files: fixture('legacy') } });
});
afterAll(() => api.close());

const methods = [
  ...['SendMessage', 'SendStreamingMessage', 'GetTask', 'ListTasks', 'CancelTask', 'SubscribeToTask'],
  ...['GetExtendedAgentCard', 'message/send', 'message/stream', 'tasks/get', 'tasks/cancel', 'tasks/resubscribe'],
];
const part = fc.oneof(
  fc.jsonValue(),
  fc.record({ data: fc.record({ tool: fc.constantFrom('files__echo', 'x'), arguments: fc.jsonValue() }) }),
  fc.record({ kind: fc.constantFrom('text', 'data', 'file'), text: fc.string(), data: fc.jsonValue() }),
  fc.record({ text: fc.json(), metadata: fc.jsonValue() }),
);
const message = fc.record(
  {
    messageId: fc.uuid(),
    role: fc.constantFrom('user', 'ROLE_USER', 7),
    parts: fc.array(part),
    metadata: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const params = fc.oneof(
  fc.jsonValue(),
  fc.record({ message: fc.oneof(message, fc.jsonValue()), id: fc.jsonValue(), configuration: fc.jsonValue() }),
);
const body = fc.oneof(
  fc.jsonValue(),
  fc.record({
    jsonrpc: fc.constant('2.0'),
    id: fc.oneof(fc.nat(), fc.jsonValue()),
    method: fc.constantFrom(...methods),
    params,
  }),
);

test('the A2A endpoint answers any request with a result or an error and continues to work', async () => {
  await fc.assert(
    fc.asyncProperty(body, fc.constantFrom('1.0', '0.3', '', '9'), async (sent, version) => {
      const { status, body: answer } = await api.post('/a2a', sent, { headers: { 'a2a-version': version } });
      expect([200, 400]).toContain(status);
      if (typeof answer === 'string') {
        expect(answer).toMatch(/^event: message\ndata: \{/);
        return;
      }
      expect(answer.jsonrpc).toBe('2.0');
      expect('result' in answer !== 'error' in answer).toBe(true);
      if (answer.error) expect([typeof answer.error.code, typeof answer.error.message]).toEqual(['number', 'string']);
    }),
    { numRuns: 300 },
  );
  expect(api.log.filter(({ level }) => level === 'error')).toEqual([]);
});
