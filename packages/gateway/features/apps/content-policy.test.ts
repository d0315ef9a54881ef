import { expect, test } from 'vitest';
import { grantSources, toFramePolicy } from './content-policy.ts';

const connect = (requested: readonly unknown[], allowed: readonly string[]) =>
  grantSources({ connectDomains: requested }, allowed).granted.connect;

test.each([
  ['the same origin', 'https://a.example', 'https://a.example', ['https://a.example']],
  ['a subdomain of an allowed pattern', 'https://b.a.example', 'https://*.a.example', ['https://b.a.example']],
  ['any host over TLS', 'https://a.example', 'https://*', ['https://a.example']],
  ['only the allowed part of a pattern', 'https://*.a.example', 'https://b.a.example', ['https://b.a.example']],
  ['only the allowed part of everything', 'https://*', 'https://*.a.example', ['https://*.a.example']],
  ['the same port', 'https://a.example:8443', 'https://a.example:8443', ['https://a.example:8443']],
  ['no other port', 'https://a.example:8443', 'https://a.example', []],
  ['no other scheme', 'http://a.example', 'https://a.example', []],
  ['not the parent of a pattern', 'https://a.example', 'https://*.a.example', []],
  ['not a similar host', 'https://bada.example', 'https://*.a.example', []],
])('an app gets %s', (_, requested, allowed, granted) => {
  expect(connect([requested], [allowed])).toEqual(granted);
});

test.each([
  "https://a.example; script-src 'unsafe-eval'",
  "'unsafe-eval'",
  '*',
  'data:',
  'https://a.example/path',
  'https://user@a.example',
  'https://a.example\nx: y',
  'javascript:alert(1)',
])('an app never gets %j, whatever is allowed', (requested) => {
  expect(connect([requested], ['https://*', 'http://*', 'https://a.example'])).toEqual([]);
});

test('an app that asks for nothing, or for nonsense, gets nothing', () => {
  const nothing = { connect: [], resource: [], frame: [], baseUri: [] };
  for (const csp of [undefined, null, 'x', [], { connectDomains: 'https://a.example' }, { connectDomains: [1, {}] }])
    expect(grantSources(csp, ['https://*'])).toEqual({ granted: nothing, refused: [] });
});

test('the refused origins are named once', () => {
  const csp = { connectDomains: ['https://a.example', 'https://b.example'], resourceDomains: ['https://b.example'] };
  expect(grantSources(csp, ['https://a.example']).refused).toEqual(['https://b.example']);
});

test('the policy of a frame allows inline code, the granted origins and one page around it', () => {
  const sources = { connect: ['https://api.example'], resource: ['https://cdn.example'], frame: [], baseUri: [] };
  const policy = toFramePolicy(sources, '127.0.0.1:7420').split('; ');
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'unsafe-inline' https://cdn.example");
  expect(policy).toContain('connect-src https://api.example');
  expect(policy).toContain("frame-src 'none'");
  expect(policy).toContain('frame-ancestors 127.0.0.1:7420');
  expect(policy).toContain('sandbox allow-scripts allow-forms');
});
