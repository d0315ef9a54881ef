import { expect, test } from 'vitest';
import { toModule } from './emit-ts.ts';

test('text of a server cannot end a comment or a string of the generated module', () => {
  const tool = {
    name: 'mcp_a_b',
    server: "a'; evil();",
    originalName: 'b": evil(), "c',
    description: 'x */ evil(); /*',
    parameters: { type: 'object', properties: { '`${evil()}`': { const: '`${evil()}`' } } },
    definitionHash: '',
    limits: { maxInstances: 1, timeoutMs: 1 },
  };
  const text = toModule([tool], 'http://127.0.0.1:7420');
  expect(text).toContain('/** x * / evil(); /* */');
  expect(text).toContain('"a\'; evil();": {');
  expect(text).toContain('"b\\": evil(), \\"c": (args:');
});
