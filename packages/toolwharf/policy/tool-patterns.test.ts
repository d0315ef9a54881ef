import { describe, expect, test } from 'vitest';
import type { NamingScope } from '../catalog/catalog.ts';
import { nameTool } from '../catalog/name-tools.ts';
import { explainTrust, restricts, trusts } from './tool-patterns.ts';

const scope: NamingScope = { naming: 'mcp', servers: ['github', 'github_enterprise'], localTools: new Set(['sum']) };
const target = (server: string | undefined, originalName: string, suffixed = false, naming = scope.naming) => ({
  server,
  originalName,
  suffixed,
  name: nameTool({ server, originalName, suffixed }, naming),
});
const owner = target('github', 'enterprise_delete');
const newcomer = target('github_enterprise', 'delete', true);
const local = target(undefined, 'sum');

describe('a trusted tool pattern', () => {
  test('a trusted tool pattern matches the tool that owns the name [N9]', () => {
    for (const pattern of ['mcp_github_enterprise_delete', 'github__enterprise_delete', 'github/enterprise_delete']) {
      expect(trusts([pattern], owner, scope), pattern).toBe(true);
      expect(trusts([pattern], newcomer, scope), pattern).toBe(false);
    }
    expect(trusts(['github_enterprise/delete'], newcomer, scope)).toBe(true);
    expect(trusts([newcomer.name], newcomer, scope)).toBe(true);
  });

  test('a trusted tool pattern for all tools of a server does not match a server with a longer name that starts the same [N9]', () => {
    for (const pattern of ['mcp_github_*', 'github/*', '{mcp_github_*,other}']) {
      expect(trusts([pattern], owner, scope), pattern).toBe(true);
      expect(trusts([pattern], target('github_enterprise', 'list'), scope), pattern).toBe(false);
    }
  });

  test('a trusted tool pattern that could match two servers matches the server that was configured first, with a warning [N9]', () => {
    expect(trusts(['mcp_github_enterprise_*'], owner, scope)).toBe(true);
    expect(trusts(['mcp_github_enterprise_*'], target('github_enterprise', 'list'), scope)).toBe(false);
    expect(explainTrust(['mcp_github_enterprise_*', 'github/*'], scope)).toEqual([
      "The trusted tool pattern 'mcp_github_enterprise_*' could mean tools of the servers 'github' and 'github_enterprise'. It does not follow a name from one server to another: write server/tool instead, such as 'github/…'",
    ]);
  });

  test('a trusted tool pattern does not match a server that has a slash in its name [N9]', () => {
    const slashed = { ...scope, servers: ['a', 'a/b'] };
    expect(trusts(['a/b/c'], target('a', 'b/c'), slashed)).toBe(true);
    expect(trusts(['a/b/c'], target('a/b', 'c'), slashed)).toBe(false);
  });

  test('a trusted tool pattern that starts with a wildcard matches local tools and the tools of every server', () => {
    for (const tool of [owner, newcomer, local]) expect(trusts(['*'], tool, scope)).toBe(true);
    expect(trusts(['*/delete'], newcomer, scope)).toBe(true);
    expect(trusts(['*/sum'], local, scope)).toBe(false);
  });

  test('a trusted tool pattern for a local tool does not match a tool of a server in plain naming [N9]', () => {
    const plain: NamingScope = { ...scope, naming: 'plain' };
    expect(trusts(['sum'], local, plain)).toBe(true);
    expect(trusts(['sum'], target('github', 'sum', false, 'plain'), plain)).toBe(false);
  });

  test('a trusted tool pattern for a plain name matches only the server that was configured first [M10, N9]', () => {
    const plain: NamingScope = { ...scope, naming: 'plain' };
    expect(trusts(['search'], target('github', 'search', false, 'plain'), plain)).toBe(true);
    expect(trusts(['search'], target('github_enterprise', 'search', false, 'plain'), plain)).toBe(false);
    expect(explainTrust(['search'], plain)).toHaveLength(1);
    expect(explainTrust(['search'], { ...plain, servers: ['github'] })).toEqual([]);
  });

  test('a trusted tool pattern with a tool name but no server matches nothing in qualified naming, with a warning', () => {
    expect(trusts(['delete'], newcomer, scope)).toBe(false);
    expect(explainTrust(['delete', 'sum', 'mcp_later_x', 'later/x'], scope)).toEqual([
      "The trusted tool pattern 'delete' matches no tool, as it names no server: write it as server/tool",
    ]);
  });
});

test('a restriction applies to every tool that the pattern could match [N9]', () => {
  for (const tool of [owner, newcomer]) expect(restricts(['mcp_github_enterprise_delete'], tool)).toBe(true);
  expect(restricts(['github_enterprise__*'], newcomer)).toBe(true);
  expect(restricts([newcomer.name], owner)).toBe(false);
  expect(restricts(['github/*'], newcomer)).toBe(false);
  expect(restricts(['sum'], local)).toBe(true);
});
