import { expect, test } from 'vitest';
import type { JsonObject } from '../../../../../contract/json.ts';
import { demoTurn } from './demo-model.ts';
import { makeArguments } from './make-arguments.ts';
import type { ShownTool } from './plan-calls.ts';
import type { Dialog, DialogCall } from './read-dialog.ts';

const tool = (name: string, description = '', schema: JsonObject = { type: 'object' }): ShownTool => ({
  name,
  description,
  schema,
});
const text = { type: 'string' };
const object = (properties: JsonObject, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
});
const dialog = (userMessage: string, calls: readonly Partial<DialogCall>[] = [], continued = false): Dialog => ({
  userMessage,
  continued,
  calls: calls.map((call) => ({ name: '', input: {}, turn: 1, failed: false, text: '', ...call })),
});
const files = [
  tool('mcp_fs_list_allowed_directories', 'Which directories may be used'),
  tool('mcp_fs_list_directory', 'Lists files', object({ path: text })),
  tool('mcp_fs_write_file', 'Writes a file', object({ path: text, content: text })),
  tool('mcp_fs_read_text_file', 'Reads a file', object({ path: text })),
];
const allowed = (path: string) => ({ name: 'mcp_fs_list_allowed_directories', text: `Allowed directories:\n${path}` });

test.each([
  ['echo hello there!', object({ message: text }), { message: 'hello there' }],
  ['search for "two words"', object({ query: text }), { query: 'two words' }],
  ['add 3 and 4.5', object({ a: { type: 'number' }, b: { type: 'integer' } }), { a: 3, b: 4 }],
  ['wait', object({ ms: { type: 'integer', minimum: 10, maximum: 20 } }), { ms: 10 }],
  ['be loud', object({ level: { enum: ['quiet', 'loud'] }, on: { type: 'boolean' } }), { level: 'loud', on: false }],
  [
    'go',
    object({ kind: { const: 'x' }, size: { default: 5 }, none: { type: 'null' } }),
    { kind: 'x', size: 5, none: null },
  ],
  ['open "a" and "b"', object({ names: { type: 'array', items: text } }), { names: ['a'] }],
  [
    'put "x"',
    object({ node: object({ name: text, tags: { type: ['array', 'null'] } }) }),
    { node: { name: 'x', tags: ['put'] } },
  ],
  ['anything', { type: 'object', properties: { optional: text } }, {}],
])('arguments are derived from the message %j', (request, schema, args) => {
  expect(makeArguments(schema, { request })).toEqual(args);
});

test.each([
  ['read notes/today.md.', { directory: '/home' }, '/home/notes/today.md'],
  ['read /etc/hosts please', { directory: '/home' }, '/etc/hosts'],
  ['read "my file.txt"', { directory: '/home' }, '/home/my file.txt'],
  ['list the folder', { directory: 'C:\\data' }, 'C:\\data'],
  ['read it', { directory: '/home', lastFile: '/home/a.txt' }, '/home/a.txt'],
  ['write it', { directory: 'C:\\data', lastFile: 'C:\\data\\a.txt' }, 'C:\\data\\note.md'],
  ['list everything', {}, '.'],
])('a path is derived from %j', (request, material, path) => {
  expect(makeArguments(object({ path: text }), { request, ...material })).toEqual({ path });
});

test('a call that needs a folder first requests the list of allowed folders', () => {
  const first = demoTurn(dialog('List the files'), files);
  expect(first.calls).toEqual([{ name: 'mcp_fs_list_allowed_directories', input: {} }]);
  expect(first.text).toMatch(/First I need to know/);
  const second = demoTurn(dialog('List the files', [allowed('/home/me')]), files);
  expect(second.calls).toEqual([{ name: 'mcp_fs_list_directory', input: { path: '/home/me' } }]);
  const third = demoTurn(
    dialog('List the files', [allowed('/home/me'), { name: 'mcp_fs_list_directory', turn: 2, text: 'a' }]),
    files,
  );
  expect(third.calls).toEqual([]);
  expect(third.text).toMatch(/`mcp_fs_list_directory` answered/);
});

test('the demo stops if the list of allowed folders is denied', () => {
  const failed = {
    ...allowed(''),
    failed: true,
    errorCode: 'CALL_DENIED',
    text: 'MCP error: The call to x was denied: no',
  };
  const turn = demoTurn(dialog('List the files', [failed]), files);
  expect(turn.calls).toEqual([]);
  expect(turn.text).toMatch(
    /not allowed to use `mcp_fs_list_allowed_directories`\. The call to x was denied: no\..*no result to show/s,
  );
});

test('a call with edited arguments is not repeated, and failed calls are reported with the successful ones', () => {
  const calls = [
    { ...allowed('/h'), turn: 0 },
    { name: 'mcp_fs_write_file', input: { path: '/h/other' }, text: 'ok' },
    { name: 'mcp_fs_read_text_file', failed: true, text: 'MCP error: no such file' },
  ];
  const turn = demoTurn(dialog('Write a note "a" and read b.txt', calls), files);
  expect(turn.calls).toEqual([]);
  expect(turn.text).toMatch(/did not work:.*no such file.*The other calls succeeded/s);
});

test('a result cannot close the code block it is quoted in, and a long result is shortened', () => {
  const calls = [{ name: 'mcp_fs_read_text_file', text: `\`\`\`\nend\n${'line\n'.repeat(50)}` }];
  const turn = demoTurn(dialog('Read a.txt', [{ ...allowed('/h'), turn: 0 }, ...calls]), files);
  expect(turn.text).toContain('````text\n```\nend');
  expect(turn.text).toContain('The full result is in the call above');
});

test('a tool is found by its name and by shared words, and deprecated tools rank last', () => {
  const tools = [
    tool('mcp_a_lookup_weather', 'DEPRECATED weather', object({ city: text })),
    tool('mcp_b_lookup_weather', 'Weather of a city', object({ city: text })),
    tool('mcp_c_sing'),
  ];
  expect(demoTurn(dialog('look up the weather in "Oslo"'), tools).calls).toEqual([
    { name: 'mcp_b_lookup_weather', input: { city: 'Oslo' } },
  ]);
  expect(demoTurn(dialog('use mcp_c_sing now'), tools).calls).toEqual([{ name: 'mcp_c_sing', input: {} }]);
  expect(demoTurn(dialog('hello'), tools).text).toMatch(/3 tools.*Use mcp_a_lookup_weather/s);
  expect(demoTurn(dialog('hello'), tools.slice(2)).text).toMatch(/one tool/);
});

test('an answer that was cut off and continued ends without further calls', () => {
  expect(demoTurn(dialog('Hello', [], true), files)).toEqual({ text: 'I have nothing to add.', calls: [] });
});
