import { describe, expect, test } from 'vitest';
import { ToolwharfError } from '../../contract/errors.ts';
import { limitDefaults } from '../../contract/settings/defaults.ts';
import { parseConfig, parseConfigText } from './load-config.ts';

const load = (text: string, env: Record<string, string> = {}) => parseConfigText(text, 'toolwharf.yaml', { env });
const gatewayOf = (gateway: object, env: Record<string, string> = {}) =>
  parseConfig({ gateway }, { env }).config.gateway;

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ToolwharfError)) throw error;
    expect(error.code).toBe('CONFIG_INVALID');
    return error.message;
  }
  return expect.fail('it was loaded');
}

describe('the gateway section', () => {
  const expected = {
    host: '0.0.0.0',
    port: 0,
    allowedHosts: ['tools.example.com', '[fd00::1]'],
    allowedOrigins: ['https://app.example.com', 'chrome-extension://abc'],
    requireAuthentication: true,
    allowPrograms: true,
    allowPrivateAddresses: false,
    registry: 'https://registry.example.com',
    jwt: {
      issuer: 'https://id.example.com',
      audience: 'toolwharf',
      jwksUrl: 'https://id.example.com/keys',
      profileClaim: 'team',
      adminClaim: 'role',
      adminValue: 'admin',
    },
    retention: { maxAgeMs: 365 * 86_400_000, maxCalls: 10 },
    trustedProxies: ['10.0.0.0/8', 'fd00::/8', '192.0.2.1'],
    limits: { ...limitDefaults, maxBodyBytes: 2_000_000, maxSessionsPerCaller: 5 },
    apps: { enabled: false, url: 'https://apps.example.com', domains: ['https://*.example.com'] },
    sandbox: { default: 'enforce' },
    newServers: 'review',
    publishServers: true,
    listWaitMs: 0,
    questionTimeoutMs: 900_000,
    shutdownMs: 60_000,
    leaseMs: 10_000,
    webhook: { url: 'https://hooks.example.com/x', secret: '${HOOK_SECRET}' },
    tracesUrl: 'http://collector:4318/v1/traces',
    database: '${DATABASE_URL}',
  };

  test('the gateway section accepts every key in camelCase', () => {
    const { config, warnings } = load(`
gateway:
  host: 0.0.0.0
  port: 0
  allowedHosts: [tools.example.com, '[fd00::1]']
  allowedOrigins: [https://app.example.com, 'chrome-extension://abc']
  requireAuthentication: true
  allowPrograms: true
  newServers: review
  publishServers: true
  allowPrivateAddresses: false
  registry: https://registry.example.com
  jwt: { issuer: https://id.example.com, audience: toolwharf, jwksUrl: https://id.example.com/keys, profileClaim: team, adminClaim: role, adminValue: admin }
  retention: { maxAge: 365d, maxCalls: 10 }
  listWait: 0
  questionTimeout: 15m
  trustedProxies: [10.0.0.0/8, 'fd00::/8', 192.0.2.1]
  limits: { maxBodyBytes: 2000000, maxSessionsPerCaller: 5 }
  apps: { enabled: false, url: https://apps.example.com, domains: ['https://*.example.com'] }
  sandbox: { default: enforce }
  shutdown: 1m
  lease: 10s
  webhook: { url: https://hooks.example.com/x, secret: '\${HOOK_SECRET}' }
  tracesUrl: http://collector:4318/v1/traces
  database: '\${DATABASE_URL}'
`);
    expect(config.gateway).toEqual(expected);
    expect(warnings).toEqual([]);
  });

  test('the gateway section accepts every key in snake_case', () => {
    const { config } = load(`
gateway:
  host: 0.0.0.0
  port: 0
  allowed_hosts: [tools.example.com, '[fd00::1]']
  allowed_origins: [https://app.example.com, 'chrome-extension://abc']
  require_authentication: true
  allow_programs: true
  new_servers: review
  publish_servers: true
  allow_private_addresses: false
  registry: https://registry.example.com
  jwt: { issuer: https://id.example.com, audience: toolwharf, jwks_url: https://id.example.com/keys, profile_claim: team, admin_claim: role, admin_value: admin }
  retention: { max_age: P365D, max_calls: 10 }
  list_wait: 0
  question_timeout: PT15M
  trusted_proxies: [10.0.0.0/8, 'fd00::/8', 192.0.2.1]
  limits: { max_body_bytes: 2000000, max_sessions_per_caller: 5 }
  apps: { enabled: false, url: https://apps.example.com, domains: ['https://*.example.com'] }
  sandbox: { default: enforce }
  shutdown: PT1M
  lease: PT10S
  webhook: { url: https://hooks.example.com/x, secret: '\${HOOK_SECRET}' }
  traces_url: http://collector:4318/v1/traces
  database: '\${DATABASE_URL}'
`);
    expect(config.gateway).toEqual(expected);
  });

  test('the frames of apps need a host name of their own, and apps only origins', () => {
    const message = messageOf(() =>
      load(`
gateway:
  allowedHosts: [tools.example.com]
  apps: { url: https://tools.example.com, domains: [example.com, "https://a.example; script-src *"] }
`),
    );
    expect(message).toContain('must have another host name than the gateway');
    expect(message.match(/must be an origin such as https:\/\/api\.example\.com/g)).toHaveLength(2);
  });

  test('the sign-in of people needs https, a public address and the scope openid, and has defaults', () => {
    const oidc = { issuer: 'https://id.example.com', clientId: 'toolwharf' };
    expect(gatewayOf({ host: '0.0.0.0', url: 'https://tools.example.com', oidc })).toMatchObject({
      requireAuthentication: true,
      oidc: {
        ...oidc,
        scopes: ['openid', 'profile', 'email'],
        defaultRole: 'none',
        roles: {},
        profiles: {},
        tokenScopes: { read: 'toolwharf:read', call: 'toolwharf:call', admin: 'toolwharf:admin' },
      },
    });
    const own = gatewayOf({
      requireAuthentication: false,
      oidc: { ...oidc, issuer: 'http://127.0.0.1:9000', tokenScopes: { call: 'mcp' } },
    });
    expect(own).toMatchObject({
      requireAuthentication: false,
      oidc: { tokenScopes: { read: 'toolwharf:read', call: 'mcp' } },
    });
    const message = (gateway: object) => messageOf(() => gatewayOf(gateway));
    expect(message({ host: '0.0.0.0', oidc })).toContain("needs 'gateway.url'");
    expect(message({ oidc: { ...oidc, issuer: 'http://id.example.com' } })).toContain('must be an https URL');
    expect(message({ oidc: { ...oidc, scopes: ['profile'] } })).toContain("must contain 'openid'");
    expect(message({ oidc: { ...oidc, defaultRole: 'admin' } })).toContain('cannot be admin');
    expect(message({ oidc: { ...oidc, tokenScopes: { call: 'two words' } } })).toContain('must be a scope');
    expect(message({ url: 'https://tools.example.com/path' })).toContain('must be an origin');
  });

  test('the variables of the sign-in are text, and lists where they must be', () => {
    const env = {
      TOOLWHARF__GATEWAY__OIDC__ISSUER: 'https://id.example.com',
      TOOLWHARF__GATEWAY__OIDC__CLIENT_ID: '1234',
      TOOLWHARF__GATEWAY__OIDC__CLIENT_SECRET: '5678',
      TOOLWHARF__GATEWAY__OIDC__ROLES__ADMIN: '[ops]',
    };
    expect(gatewayOf({}, env).oidc).toMatchObject({
      clientId: '1234',
      clientSecret: '5678',
      roles: { admin: ['ops'] },
    });
  });

  test('the gateway section can be overridden by environment variables in every dialect [M14]', () => {
    const env = {
      TOOLWHARF__GATEWAY__PORT: '0',
      TOOLWHARF__GATEWAY__REQUIRE_AUTHENTICATION: 'true',
      TOOLWHARF__GATEWAY__RETENTION__MAX_AGE: '7d',
      TOOLWHARF__GATEWAY__ALLOWED_HOSTS: '[a.example]',
      TOOLWHARF__GATEWAY__WEBHOOK__URL: 'https://hooks.example.com',
      TOOLWHARF__GATEWAY__WEBHOOK__SECRET: '12345',
    };
    for (const document of [{ servers: {} }, { mcpServers: {} }, { myai: { toolbox: { mcps: [] } } }]) {
      expect(parseConfig(document, { env }).config.gateway).toMatchObject({
        port: 0,
        requireAuthentication: true,
        retention: { maxAgeMs: 7 * 86_400_000, maxCalls: 1_000_000 },
        allowedHosts: ['a.example'],
        webhook: { url: 'https://hooks.example.com', secret: '12345' },
      });
    }
  });

  test('the gateway section has its URLs resolved but not its secrets', () => {
    const env = { HOOK: 'https://hooks.example.com/abc', HOOK_SECRET: 'quiet', DATABASE_URL: 'postgres://u:p@h/d' };
    const webhook = { url: '${HOOK}', secret: '${HOOK_SECRET}' };
    expect(gatewayOf({ webhook, database: '${DATABASE_URL}' }, env)).toMatchObject({
      webhook: { url: 'https://hooks.example.com/abc', secret: '${HOOK_SECRET}' },
      database: '${DATABASE_URL}',
    });
    expect(messageOf(() => gatewayOf({ webhook: { url: '${HOOK}' } }))).toContain(
      'gateway.webhook.url  the environment variable HOOK is not set',
    );
  });

  test('the gateway section reports every problem with its line, column and path', () => {
    const text = `gateway:
  host: http://x
  port: 65536
  allowed_hosts: ['a.example:80']
  allowedOrigins: [https://a.example/]
  requireAuthentication: yes please
  jwt: { issuer: me, audience: us, jwks_url: http://id.example.com, adminClaim: role }
  retention: { maxAge: 0, maxCalls: 0 }
  webhook: { url: nowhere }
  tracesUrl: ftp://x.y
  database: mysql://x
  shutdwn: 1s
`;
    expect(messageOf(() => load(text)).split('\n')).toEqual([
      'toolwharf.yaml has 13 problems:',
      '  toolwharf.yaml:2:9  gateway.host  must be a host name or an IP address, without a port, found "http://x"',
      '  toolwharf.yaml:3:9  gateway.port  must be a whole number from 0 to 65535, found 65536',
      '  toolwharf.yaml:4:19  gateway.allowed_hosts[0]  must be a host name such as tools.example.com, without scheme and port (IPv6 in brackets), found "a.example:80"',
      '  toolwharf.yaml:5:20  gateway.allowedOrigins[0]  must be an origin such as https://app.example.com, without a path, found "https://a.example/"',
      '  toolwharf.yaml:6:26  gateway.requireAuthentication  must be true or false, found text',
      '  toolwharf.yaml:7:46  gateway.jwt.jwks_url  must be an https URL, found "http://id.example.com"',
      "  toolwharf.yaml:7:69  gateway.jwt.adminClaim  needs 'adminValue' beside it",
      '  toolwharf.yaml:8:24  gateway.retention.maxAge  must be from 1 s to 36500 days, found 0',
      '  toolwharf.yaml:8:37  gateway.retention.maxCalls  must be a whole number, 1 or more, found 0',
      '  toolwharf.yaml:9:19  gateway.webhook.url  must be a URL such as https://example.com/mcp, found "nowhere"',
      '  toolwharf.yaml:10:14  gateway.tracesUrl  must be an http or https URL, found "ftp://x.y"',
      '  toolwharf.yaml:11:13  gateway.database  must be a URL such as postgres://user@host/toolwharf',
      "  toolwharf.yaml:12:3  gateway.shutdwn  unknown key, found 'shutdwn'; did you mean 'shutdown'?",
    ]);
  });

  test('the gateway section never repeats a secret in its errors', () => {
    const hidden = { webhook: { url: 'https://h.example', secret: ['quiet'] }, database: 'mysql://me:quiet@host/db' };
    expect(messageOf(() => gatewayOf(hidden))).not.toContain('quiet');
  });

  test('the gateway section warns about a webhook over plain http', () => {
    const { warnings } = parseConfig({ gateway: { webhook: { url: 'http://hooks.example.com' } } }, { env: {} });
    expect(warnings).toEqual([
      'The webhook of the gateway is plain http to another machine: anyone on the network path can read it',
    ]);
  });
});
