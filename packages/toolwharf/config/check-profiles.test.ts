import { describe, expect, test } from 'vitest';
import { ToolwharfError } from '../../contract/errors.ts';
import { parseConfig, parseConfigText } from './load-config.ts';

const load = (document: object, env: Record<string, string> = {}) => parseConfig(document as never, { env });
const servers = { github: { command: 'x' }, files: { command: 'y' } };

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ToolwharfError)) throw error;
    return error.message;
  }
  return expect.fail('it was loaded');
}

describe('the profiles section', () => {
  test('the profiles section defines named subsets with their own policies, the default profile first', () => {
    const { config, warnings } = load({
      servers,
      toolbox: { approval: { mode: 'always-ask', ask: ['*delete*'], expires: '2m' } },
      profiles: {
        research: {
          servers: ['git*'],
          allow: ['github/*'],
          deny: ['*/delete_*'],
          naming: 'plain',
          approval: { mode: 'trusted-only', trusted_tools: ['github/search'] },
        },
        open: null,
      },
    });
    const approval = {
      mode: 'always-ask',
      trustedTools: [],
      ask: ['*delete*'],
      deny: [],
      expiresMs: 120_000,
      approvers: 'admins',
      reads: 'allow',
    };
    const listing = { expose: 'all', exposeBudget: 10_000, newTools: 'show' };
    expect(config.profiles).toEqual([
      { name: 'default', builtIn: true, naming: 'server__tool', ...listing, approval },
      {
        name: 'research',
        servers: ['git*'],
        allow: ['github/*'],
        deny: ['*/delete_*'],
        naming: 'plain',
        ...listing,
        approval: { ...approval, mode: 'trusted-only', trustedTools: ['github/search'] },
      },
      { name: 'open', naming: 'server__tool', ...listing, approval },
    ]);
    expect(warnings).toEqual([]);
  });

  test('the profiles section changes the default profile with an entry named default, which stays first', () => {
    const { config } = load({ servers, profiles: { other: {}, default: { servers: ['files'], naming: 'plain' } } });
    expect(config.profiles.map(({ name, naming, servers: own }) => ({ name, naming, own }))).toEqual([
      { name: 'default', naming: 'plain', own: ['files'] },
      { name: 'other', naming: 'server__tool', own: undefined },
    ]);
  });

  test('the profiles section replaces the expiry and the lists of the toolbox, also with empty lists', () => {
    const { config } = load({
      toolbox: { approval: { ask: ['a'], deny: ['b'] } },
      profiles: { default: { approval: { ask: [], expires: 'PT5S' } } },
    });
    expect(config.profiles[0]?.approval).toEqual({
      mode: 'auto',
      trustedTools: [],
      ask: [],
      deny: ['b'],
      expiresMs: 5_000,
      approvers: 'admins',
      reads: 'allow',
    });
  });

  test('the profiles section can be overridden by environment variables, also in a myai file, which retains plain tool names [M14]', () => {
    const env = {
      TOOLWHARF__PROFILES__TEAM__DENY: '[github/*]',
      TOOLWHARF__PROFILES__TEAM__APPROVAL__MODE: 'always-ask',
    };
    const { config } = load({ myai: { toolbox: { mcps: [] } } }, env);
    expect(config.profiles).toMatchObject([
      { name: 'default', naming: 'plain' },
      { name: 'team', deny: ['github/*'], approval: { mode: 'always-ask' } },
    ]);
  });

  test('the profiles section warns about servers that do not exist', () => {
    const { warnings } = load({
      servers,
      profiles: {
        team: {
          servers: ['githb', 'x*', 'nothing'],
          allow: ['file/read', 'read', 'local/mine', '*'],
          deny: ['github/x'],
        },
      },
    });
    expect(warnings).toEqual([
      "Profile 'team' names server 'githb', which this file does not have; did you mean 'github'?",
      "Profile 'team' names server 'nothing', which this file does not have",
      "Profile 'team' names 'file/read', but this file has no server 'file'; did you mean 'files'?",
      "Profile 'team' names 'read', which matches nothing: write server/tool",
    ]);
  });

  test('the profiles section reports every problem with its line, column and path', () => {
    const text = `servers: {}
profiles:
  My Team: {}
  ok:
    servers: github
    naming: fancy
    deny: ['!x/*']
    alow: []
    approval: { mode: maybe }
  list: []
`;
    expect(messageOf(() => parseConfigText(text, 'toolwharf.yaml', { env: {} })).split('\n')).toEqual([
      'toolwharf.yaml has 7 problems:',
      '  toolwharf.yaml:3:3  profiles["My Team"]  a profile name must have 1 to 40 of a-z, 0-9 and -',
      '  toolwharf.yaml:5:14  profiles.ok.servers  must be a list, found "github"',
      '  toolwharf.yaml:6:13  profiles.ok.naming  unknown value, found "fancy"; allowed: mcp, server__tool, plain',
      '  toolwharf.yaml:7:12  profiles.ok.deny[0]  must not start with "!": list what to offer under allow and what to refuse under deny, found "!x/*"',
      "  toolwharf.yaml:8:5  profiles.ok.alow  unknown key, found 'alow'; did you mean 'allow'?",
      '  toolwharf.yaml:9:23  profiles.ok.approval.mode  unknown value, found "maybe"; allowed: auto, always-ask, trusted-only',
      '  toolwharf.yaml:10:9  profiles.list  must be a map, found a list',
    ]);
    expect(messageOf(() => load({ profiles: [] }))).toContain('profiles  must be a map of profile names, found a list');
  });
});
