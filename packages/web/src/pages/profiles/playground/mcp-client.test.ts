import { expect, test } from 'vitest';
import { readEvents, toHeader } from './mcp-client.ts';

test('the messages of an event stream are read in order, without comments and empty events', () => {
  const body = ': hello\n\nevent: message\ndata: {"a":1}\n\nid: 1\ndata: \n\ndata: {"id":7,\ndata: "b":2}\n\n';
  expect(readEvents(body)).toEqual([{ a: 1 }, { id: 7, b: 2 }]);
});

test('a name that is not ASCII is sent in base64 brackets', () => {
  expect([toHeader('notes__echo'), toHeader('ä')]).toEqual(['notes__echo', '=?base64?w6Q=?=']);
  expect(toHeader('=?base64?eA==?=')).toBe('=?base64?PT9iYXNlNjQ/ZUE9PT89?=');
});
