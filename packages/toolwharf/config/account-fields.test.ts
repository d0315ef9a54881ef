import { describe, expect, test } from 'vitest';
import { accountFieldsOf, withAccountValues } from './account-fields.ts';
import { parseConfig } from './load-config.ts';

const parse = (server: object) => parseConfig({ servers: { a: server } } as never, { env: {} }).config.servers[0];
const problem = (server: object) => {
  try {
    parse(server);
  } catch (cause) {
    return String((cause as Error).message);
  }
  return undefined;
};

const url = 'https://example.com/mcp';

describe('per-user credentials', () => {
  test('per-user credentials name the values that a person enters, in order and once', () => {
    const headers = { 'x-user': '${account:user}', 'x-both': '${account:user}:${account:key}' };
    const authentication = { type: 'bearer', token: '${account:token}' };
    const spec = parse({ url, headers, authentication, credentials: 'per-user' });
    if (!spec) throw new Error('There is a server');
    expect(accountFieldsOf(spec)).toEqual(['token', 'user', 'key']);
    const values = { token: 't', user: 'u', key: 'k' };
    expect(withAccountValues(spec, values).target).toMatchObject({
      headers: { 'x-user': 'u', 'x-both': 'u:k' },
      authentication: { type: 'bearer', token: 't' },
    });
    expect(() => withAccountValues(spec, { ...values, token: '${HOME}' })).toThrow('contains a reference');
  });

  test('per-user credentials need OAuth of a person, or a value that a person enters', () => {
    expect(problem({ url, credentials: 'per-user' })).toContain('${account:token}');
    const machine = { type: 'oauth', grant: 'client-credentials', clientId: 'c', clientSecret: 's' };
    expect(problem({ url, authentication: machine, credentials: 'per-user' })).toContain('${account:token}');
    expect(problem({ url, authentication: { type: 'oauth' }, credentials: 'per-user' })).toBeUndefined();
    expect(problem({ url, headers: { 'x-key': '${account:key}' } })).toContain('must be per-user');
    expect(problem({ url, maxAccountConnections: 3 })).toContain("needs 'credentials: per-user'");
    const oauth = { url, authentication: { type: 'oauth' }, credentials: 'per-user' };
    expect(problem({ ...oauth, required: true })).toContain('cannot be combined with per-user');
    const program = { command: 'x', env: { A: '${account:a}' }, credentials: 'per-user' };
    expect(problem(program)).toBeUndefined();
    expect(problem({ ...program, placement: 'single' })).toContain('cannot be combined with per-user');
    expect(problem({ ...program, lifecycle: 'lazy' })).toContain('cannot be combined with per-user');
  });
});

describe('an OAuth grant', () => {
  const oauth = (authentication: object) => problem({ url, authentication: { type: 'oauth', ...authentication } });

  test('an OAuth grant of a program requires its credentials, and refuses keys of other grants', () => {
    expect(oauth({ grant: 'client-credentials', clientId: 'c' })).toContain('requires clientSecret or privateKey');
    expect(oauth({ grant: 'client-credentials', clientSecret: 's' })).toContain('requires clientId');
    const both = { grant: 'client-credentials', clientId: 'c', clientSecret: 's', privateKey: 'p' };
    expect(oauth(both)).toContain('either clientSecret or privateKey');
    expect(oauth({ ...both, privateKey: undefined, redirectUrl: 'https://x.example' })).toContain('has no effect');
    expect(oauth({ privateKey: 'p' })).toContain('has no effect with the grant authorization-code');
    expect(oauth({ grant: 'jwt-bearer', clientId: 'c' })).toContain('requires assertion');
    const enterprise = oauth({ grant: 'enterprise', clientId: 'c', clientSecret: 's', idToken: 't' });
    expect(enterprise).toContain('requires identityProvider');
    const algorithm = { grant: 'client-credentials', clientId: 'c', clientSecret: 's', algorithm: 'ES256' };
    expect(oauth(algorithm)).toContain('has no effect without privateKey');
    expect(oauth({ grant: 'client-credentials', clientId: 'c', clientSecret: 's' })).toBeUndefined();
  });
});
