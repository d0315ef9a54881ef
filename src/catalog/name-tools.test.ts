import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assignNames, nameTool } from './name-tools.ts';

const valid = /^[a-zA-Z0-9_-]{1,64}$/;

describe('one name', () => {
  test('is mcp_{server}_{tool}, {server}__{tool} or the tool’s own [B8]', () => {
    expect(nameTool('github', 'create_issue', 'mcp')).toBe('mcp_github_create_issue');
    expect(nameTool('github', 'create_issue', 'server__tool')).toBe('github__create_issue');
    expect(nameTool('github', 'create issue/now', 'plain')).toBe('create issue/now');
  });

  test('that providers would refuse is sanitised and told apart by a stable hash [B8]', () => {
    const spaced = nameTool('my server', 'list.files', 'mcp');
    expect(spaced).toMatch(/^mcp_my_server_list_files_[0-9a-f]{8}$/);
    expect(nameTool('my server', 'list.files', 'mcp')).toBe(spaced);
    expect(nameTool('my server', 'list files', 'mcp')).not.toBe(spaced);
    const long = nameTool('server', 'x'.repeat(100), 'mcp');
    expect(long).toHaveLength(64);
    expect(nameTool('server', `${'x'.repeat(100)}y`, 'mcp')).not.toBe(long);
    expect(nameTool('', '', 'mcp')).toMatch(valid);
    expect(nameTool('s', '😀'.repeat(200), 'server__tool')).toMatch(valid);
  });

  test('of exactly 64 characters is left alone', () => {
    const tool = 'x'.repeat(64 - 'mcp_s_'.length);
    expect(nameTool('s', tool, 'mcp')).toBe(`mcp_s_${tool}`);
  });

  test('cannot be made to look like another tool’s hashed name', () => {
    const hashed = nameTool('s', 'bad name', 'mcp');
    const imitation = hashed.slice('mcp_s_'.length);
    expect(nameTool('s', imitation, 'mcp')).not.toBe(hashed);
  });
});

describe('names of all tools', () => {
  const entry = (server: string | undefined, originalName: string) => ({
    ...(server !== undefined && { server }),
    originalName,
  });
  const namesOf = (...args: Parameters<typeof assignNames>) => assignNames(...args).named.map((named) => named.name);

  test('keep servers with an underscore apart: the longer server name owns the join [B8]', () => {
    const both = [entry('a', 'b_c'), entry('a_b', 'c')];
    const [shorter, longer] = namesOf(both, 'mcp');
    expect(longer).toBe('mcp_a_b_c');
    expect(shorter).toMatch(/^mcp_a_b_c_[0-9a-f]{8}$/);
    expect(namesOf(both.toReversed(), 'mcp').toSorted()).toEqual([longer, shorter]);
    expect(assignNames(both, 'mcp').collisions).toEqual([]);
  });

  test('do not change when the server they could be confused with is down', () => {
    expect(namesOf([entry('a', 'b_c')], 'mcp', ['a', 'a_b'])).toEqual([nameTool('a', 'b_c', 'mcp', ['a_b'])]);
    expect(namesOf([entry('a', 'x')], 'mcp', ['a', 'a_b'])).toEqual(['mcp_a_x']);
  });

  test('do not change when an unrelated server is added', () => {
    const tools = [entry('github', 'get_me'), entry('github_enterprise', 'get_me'), entry('files', 'read file')];
    const before = namesOf(tools, 'mcp');
    expect(namesOf([...tools, entry('search', 'get_me')], 'mcp').slice(0, 3)).toEqual(before);
  });

  test('in plain naming collide: the last registered wins and the collision is reported [M10]', () => {
    const tools = [entry(undefined, 'search'), entry('a', 'search'), entry('b', 'search'), entry('a', 'other')];
    const { named, collisions } = assignNames(tools, 'plain');
    expect(named).toEqual([
      { server: 'b', originalName: 'search', name: 'search' },
      { server: 'a', originalName: 'other', name: 'other' },
    ]);
    expect(collisions).toEqual([{ name: 'search', owners: ['local', 'a', 'b'] }]);
  });

  test('leave a local tool its name, also where a server’s join would be the same', () => {
    const tools = [entry('a', 'b'), entry(undefined, 'mcp_a_b')];
    const { named, collisions } = assignNames(tools, 'mcp');
    expect(named.map(({ name }) => name)).toEqual([expect.stringMatching(/^mcp_a_b_[0-9a-f]{8}$/), 'mcp_a_b']);
    expect(collisions).toEqual([]);
  });

  test('keep what else an entry carries', () => {
    expect(assignNames([{ server: 's', originalName: 't', limits: 3 }], 'mcp').named).toEqual([
      { server: 's', originalName: 't', limits: 3, name: 'mcp_s_t' },
    ]);
  });

  test('are valid, distinct and independent of order for any servers and tools [B8]', () => {
    const part = fc.oneof(
      fc.stringMatching(/^[ab_]{0,4}$/),
      fc.stringMatching(/^[ab_ .]{0,70}$/),
      fc.string({ maxLength: 8 }),
    );
    const pairs = fc.uniqueArray(fc.record({ server: part, originalName: part }), {
      maxLength: 20,
      selector: ({ server, originalName }) => JSON.stringify([server, originalName]),
    });
    fc.assert(
      fc.property(pairs, fc.constantFrom('mcp' as const, 'server__tool' as const), (tools, naming) => {
        const names = namesOf(tools, naming);
        for (const name of names) expect(name).toMatch(valid);
        expect(new Set(names).size).toBe(tools.length);
        expect(namesOf(tools.toReversed(), naming)).toEqual(names.toReversed());
      }),
    );
  });
});
