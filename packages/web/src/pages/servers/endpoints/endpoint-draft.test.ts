import { describe, expect, test } from 'vitest';
import { newRow } from './argument-table.ts';
import {
  type ArgumentsDraft,
  asJson,
  asRows,
  type Endpoint,
  type EndpointDraft,
  hasArgumentProblems,
  listNames,
  rowProblems,
  toEndpoint,
  toEndpointDraft,
  withPath,
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
  args: { kind: 'json', text, query },
});

describe('an endpoint in the form', () => {
  test.each([
    ['rows', simple, 'rows'],
    ['text', choice, 'json'],
  ])('an endpoint edited as %s loses nothing [R21]', (_how, endpoint, kind) => {
    const draft = toEndpointDraft(endpoint);
    expect(draft.args.kind).toBe(kind);
    expect(toEndpoint(draft)).toEqual(endpoint);
  });

  test('an endpoint with only path arguments needs no schema [R21]', () => {
    const draft = withPath({ ...toEndpointDraft(), name: ' get_user ' }, ' /users/{id} ');
    expect(draft.args).toMatchObject({ rows: [{ name: 'id', isRequired: true }] });
    expect(toEndpoint(draft)).toEqual({ name: 'get_user', method: 'GET', path: '/users/{id}' });
    expect(toEndpointDraft({ name: 'get_user', path: '/users/{id}' }).args).toMatchObject({ rows: [{ name: 'id' }] });
  });

  test('path arguments are not sent in the query', () => {
    const draft = toEndpointDraft(simple);
    expect(toEndpoint(withPath(draft, '/notes/{notify}')).query).toBeUndefined();
  });

  test('rows become text and text becomes rows [R21]', () => {
    const draft = toEndpointDraft(simple);
    const text = draft.args.kind === 'rows' ? asJson(draft.args) : undefined;
    expect(text).toMatchObject({ kind: 'json', query: ['notify'] });
    const turned = { ...draft, args: text as ArgumentsDraft };
    expect(toEndpoint(turned)).toEqual(simple);
    expect(toEndpoint({ ...turned, args: asRows(turned) as ArgumentsDraft })).toEqual(simple);
    expect(asRows(toEndpointDraft(choice))).toBeUndefined();
    expect(asRows(withText('{'))).toBeUndefined();
    expect(asRows({ ...withText(' '), path: '/{a}' })).toMatchObject({ kind: 'rows', rows: [{ name: 'a' }] });
  });

  test('a changed path leaves the text of a schema unchanged', () => {
    const { args } = toEndpointDraft(choice);
    expect(withPath(toEndpointDraft(choice), '/{x}')).toMatchObject({ path: '/{x}', args });
  });

  test('the query has only arguments that the schema describes', () => {
    expect(toEndpoint(withText('{"type":"object","properties":{"a":{}}}', ['a', 'gone'])).query).toEqual(['a']);
    expect(toEndpoint(withText('  ', ['a']))).toEqual({ name: 'list', method: 'PUT', path: '/notes' });
    expect(listNames('[')).toEqual([]);
  });

  test('invalid text, duplicate names and missing names are problems', () => {
    expect(hasArgumentProblems(withText('{ "type": '))).toBe(true);
    expect(hasArgumentProblems(withText('[]'))).toBe(true);
    expect(hasArgumentProblems(toEndpointDraft(choice))).toBe(false);
    expect(hasArgumentProblems(toEndpointDraft(simple))).toBe(false);
    const rows = [newRow('a'), newRow('b'), newRow('a'), newRow(), { ...newRow(), description: 'lost' }];
    expect([...rowProblems(rows).keys()]).toEqual([rows[0]?.id, rows[2]?.id, rows[4]?.id]);
    expect(hasArgumentProblems({ ...toEndpointDraft(), args: { kind: 'rows', rows, isClosed: true } })).toBe(true);
  });
});
