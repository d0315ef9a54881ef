import { expect, test } from 'vitest';
import { ApiError, NetworkError } from '../../api/client.ts';
import { toEndpointDraft } from './endpoints/endpoint-draft.ts';
import { toFormProblems } from './form-problems.ts';
import { newLine, toDraft, toInput } from './server-draft.ts';

const sent = { ...toInput({ ...toDraft(), headers: [newLine('x.y', 'z')] }), name: 'mine' };
const refused = (problems: unknown) => new ApiError(400, 'REQUEST_INVALID', 'The request has problems', { problems });

test('a problem is shown at its field, and one without a field at the top', () => {
  const found = toFormProblems(
    refused([
      { path: 'body.url', message: "is required for transport 'http'" },
      { path: 'body.headers.x.y', message: 'must not contain a line break' },
      { path: 'body.command', message: 'is odd\u202e' },
      { path: 'body', message: 'is not JSON' },
    ]),
    sent,
  );
  expect(found.at('url')).toBe("Is required for transport 'http'");
  expect(found.at('headers.x.y')).toBe('Must not contain a line break');
  expect(found.at('name')).toBeUndefined();
  expect(found.general).toEqual(['Command: is odd⟨U+202E⟩', 'Is not JSON']);
});

test('problems of an API are shown at its document and its endpoints [R21]', () => {
  const endpoints = [toEndpointDraft({ name: 'a', path: 'a' }), toEndpointDraft({ name: 'b', path: '/b' })];
  const found = toFormProblems(
    refused([
      { path: 'body.openapi', message: 'must be an http or https URL' },
      { path: 'body.endpoints.0.path', message: 'must begin with /' },
      { path: 'body.endpoints.1.input', message: "must describe the argument 'x' under properties" },
      { path: 'body.endpoints.2.path', message: 'is not there' },
      { path: 'body.transport', message: 'is odd' },
    ]),
    toInput({ ...toDraft(), transport: 'api', endpoints }),
  );
  expect(found.at('openapi')).toBe('Must be an http or https URL');
  expect(found.at('endpoints.0.path')).toBe('Must begin with /');
  expect(found.at('endpoints.1.input')).toContain("'x'");
  expect(found.general).toEqual(['Endpoints.2.path: is not there', 'Transport: is odd']);
  expect(toFormProblems(refused([{ path: 'body.openapi', message: 'is odd' }]), sent).general).toHaveLength(1);
});

test('a name that is already taken is a problem of the name', () => {
  const taken = new ApiError(409, 'CONFLICT', "There is a server named 'mine' already", { server: 'mine' });
  expect(toFormProblems(taken, sent).at('name')).toContain('already');
  expect(toFormProblems(taken, { ...sent, name: 'other' }).general).toHaveLength(1);
});

test('any other error is shown at the top, and no error shows nothing', () => {
  expect(toFormProblems(new ApiError(403, 'FORBIDDEN', 'no'), sent).general).toEqual(['No']);
  expect(toFormProblems(refused('odd'), sent).general).toEqual(['The request has problems']);
  expect(toFormProblems(new NetworkError('fetch'), sent).general).toEqual([
    'The gateway does not answer. Is it running?',
  ]);
  expect(toFormProblems(undefined, undefined)).toMatchObject({ general: [] });
});
