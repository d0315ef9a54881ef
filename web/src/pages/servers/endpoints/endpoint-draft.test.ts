import { describe, expect, test } from 'vitest';
import { newRow } from './argument-table.ts';
import {
  type ArgumentsDraft,
  asJson,
  asRows,
  type Endpoint,
  type EndpointDraft,
  isUnclear,
  movedTo,
  namesInText,
  rowProblems,
  toEndpoint,
  toEndpointDraft,
} from './endpoint-draft.ts';

const simple: Endpoint = {
  name: 'add_note',
  description: 'Adds a note',
  method: 'POST',
  path: '/users/{id}/notes',
  query: ['notify'],
  input: {
    type: 'object',
    properties: { id: { type: 'string' }, text: { type: 'string' }, notify: { type: 'boolean' } },
    required: ['id', 'text'],
    additionalProperties: false,
  },
};
const choice: Endpoint = {
  name: 'list',
  method: 'PUT',
  path: '/notes',
  query: ['order'],
  input: { type: 'object', properties: { order: { enum: ['up', 'down'] }, page: { type: 'integer', minimum: 1 } } },
};

const withText = (text: string, query: readonly string[] = []): EndpointDraft => ({
  ...toEndpointDraft(choice),
  takes: { kind: 'json', text, query },
});

describe('an endpoint in the form', () => {
  test.each([
    ['in rows', simple, 'rows'],
    ['as text, where it says more', choice, 'json'],
  ])('is edited %s, and loses nothing [R21]', (_how, endpoint, kind) => {
    const draft = toEndpointDraft(endpoint);
    expect(draft.takes.kind).toBe(kind);
    expect(toEndpoint(draft)).toEqual(endpoint);
  });

  test('needs no schema when it takes what its path names and nothing else [R21]', () => {
    const draft = movedTo({ ...toEndpointDraft(), name: ' get_user ' }, ' /users/{id} ');
    expect(draft.takes).toMatchObject({ rows: [{ name: 'id', isRequired: true }] });
    expect(toEndpoint(draft)).toEqual({ name: 'get_user', method: 'GET', path: '/users/{id}' });
    expect(toEndpointDraft({ name: 'get_user', path: '/users/{id}' }).takes).toMatchObject({ rows: [{ name: 'id' }] });
  });

  test('has its path arguments nowhere else', () => {
    const draft = toEndpointDraft(simple);
    expect(toEndpoint(movedTo(draft, '/notes/{notify}')).query).toBeUndefined();
  });

  test('can be turned into text and back [R21]', () => {
    const draft = toEndpointDraft(simple);
    const text = draft.takes.kind === 'rows' ? asJson(draft.takes) : undefined;
    expect(text).toMatchObject({ kind: 'json', query: ['notify'] });
    const turned = { ...draft, takes: text as ArgumentsDraft };
    expect(toEndpoint(turned)).toEqual(simple);
    expect(toEndpoint({ ...turned, takes: asRows(turned) as ArgumentsDraft })).toEqual(simple);
    expect(asRows(toEndpointDraft(choice))).toBeUndefined();
    expect(asRows(withText('{'))).toBeUndefined();
    expect(asRows({ ...withText(' '), path: '/{a}' })).toMatchObject({ kind: 'rows', rows: [{ name: 'a' }] });
  });

  test('leaves its text alone when the path changes', () => {
    const { takes } = toEndpointDraft(choice);
    expect(movedTo(toEndpointDraft(choice), '/{x}')).toMatchObject({ path: '/{x}', takes });
  });

  test('sends of the query what the text still describes, and nothing for an empty one', () => {
    expect(toEndpoint(withText('{"type":"object","properties":{"a":{}}}', ['a', 'gone'])).query).toEqual(['a']);
    expect(toEndpoint(withText('  ', ['a']))).toEqual({ name: 'list', method: 'PUT', path: '/notes' });
    expect(namesInText('[')).toEqual([]);
  });

  test('is unclear while its text is no object, or rows share a name or have none', () => {
    expect(isUnclear(withText('{ "type": '))).toBe(true);
    expect(isUnclear(withText('[]'))).toBe(true);
    expect(isUnclear(toEndpointDraft(choice))).toBe(false);
    expect(isUnclear(toEndpointDraft(simple))).toBe(false);
    const rows = [newRow('a'), newRow('b'), newRow('a'), newRow(), { ...newRow(), description: 'lost' }];
    expect([...rowProblems(rows).keys()]).toEqual([rows[0]?.id, rows[2]?.id, rows[4]?.id]);
    expect(isUnclear({ ...toEndpointDraft(), takes: { kind: 'rows', rows, isClosed: true } })).toBe(true);
  });
});
