import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Naming } from '../../contract/settings/choices.ts';
import { toolIdOf } from '../kernel/tool-id.ts';
import { createNameOwners } from './name-owners.ts';
import { namePrompt, nameTool, nameTools } from './name-tools.ts';

const name = (server: string, originalName: string, naming: Naming) => nameTool({ server, originalName }, naming);
const valid = /^[a-zA-Z0-9_-]{1,64}$/;

describe('the exposed name of a tool', () => {
  test('the exposed name of a tool is mcp_{server}_{tool}, {server}__{tool} or the name that the server uses [B8]', () => {
    expect(name('github', 'create_issue', 'mcp')).toBe('mcp_github_create_issue');
    expect(name('github', 'create_issue', 'server__tool')).toBe('github__create_issue');
    expect(name('github', 'create issue/now', 'plain')).toBe('create issue/now');
  });

  test('the exposed name of a tool is sanitised and gets a stable hash when providers would reject it [B8]', () => {
    const spaced = name('my server', 'list.files', 'mcp');
    expect(spaced).toMatch(/^mcp_my_server_list_files_[0-9a-f]{8}$/);
    expect(name('my server', 'list.files', 'mcp')).toBe(spaced);
    expect(name('my server', 'list files', 'mcp')).not.toBe(spaced);
    const long = name('server', 'x'.repeat(100), 'mcp');
    expect(long).toHaveLength(64);
    expect(name('server', `${'x'.repeat(100)}y`, 'mcp')).not.toBe(long);
    expect(name('', '', 'mcp')).toMatch(valid);
    expect(name('s', '😀'.repeat(200), 'server__tool')).toMatch(valid);
  });

  test('the exposed name of a tool is unchanged at exactly 64 characters', () => {
    const tool = 'x'.repeat(64 - 'mcp_s_'.length);
    expect(name('s', tool, 'mcp')).toBe(`mcp_s_${tool}`);
  });

  test('the exposed name of a tool cannot imitate the hashed name of another tool', () => {
    const hashed = name('s', 'bad name', 'mcp');
    const imitation = hashed.slice('mcp_s_'.length);
    expect(name('s', imitation, 'mcp')).not.toBe(hashed);
  });
});

describe('naming all tools', () => {
  const entry = (server: string | undefined, originalName: string) => ({ server, originalName });

  test('naming all tools gives a plain name to the tool that was registered last and reports the collision [M10]', async () => {
    const tools = [entry(undefined, 'search'), entry('a', 'search'), entry('b', 'search'), entry('a', 'other')];
    const { named, collisions } = await nameTools(tools, 'plain');
    expect(named).toEqual([
      { server: 'b', originalName: 'search', name: 'search' },
      { server: 'a', originalName: 'other', name: 'other' },
    ]);
    expect(collisions).toEqual([{ name: 'search', owners: ['local', 'a', 'b'] }]);
  });

  test('naming all tools adds a hash to a tool that is added after the owner of its name [B8]', async () => {
    const { named, collisions } = await nameTools([{ ...entry('a', 'b_c'), suffixed: true }, entry('a_b', 'c')], 'mcp');
    expect(named.map(({ name }) => name)).toEqual([expect.stringMatching(/^mcp_a_b_c_[0-9a-f]{8}$/), 'mcp_a_b_c']);
    expect(collisions).toEqual([]);
  });

  test('naming all tools preserves the other fields of an entry', async () => {
    expect((await nameTools([{ ...entry('s', 't'), limits: 3 }], 'mcp')).named).toEqual([
      { server: 's', originalName: 't', limits: 3, name: 'mcp_s_t' },
    ]);
  });

  test('naming all tools yields valid, distinct and stable names for any servers and tools [B8, N9]', async () => {
    const part = fc.oneof(
      fc.stringMatching(/^[ab_]{0,4}$/),
      fc.stringMatching(/^[ab_ .]{0,70}$/),
      fc.string({ maxLength: 8 }),
    );
    const pairs = fc.uniqueArray(fc.record({ server: part, originalName: part }), {
      maxLength: 20,
      selector: ({ server, originalName }) => JSON.stringify([server, originalName]),
    });
    await fc.assert(
      fc.asyncProperty(
        pairs,
        fc.nat(20),
        fc.constantFrom('mcp' as const, 'server__tool' as const),
        async (tools, few, naming) => {
          const owners = createNameOwners();
          const namesOf = async (some: typeof tools) => {
            const needsSuffix = owners.startAssignment({ final: true });
            const claimed = some.map((tool) => ({ ...tool, suffixed: needsSuffix({ id: toolIdOf(tool) }) }));
            return (await nameTools(claimed, naming)).named.map(({ name }) => name);
          };
          const before = await namesOf(tools.slice(0, few));
          const names = await namesOf(tools);
          for (const name of names) expect(name).toMatch(valid);
          expect(new Set(names).size).toBe(tools.length);
          expect(names.slice(0, few)).toEqual(before);
          expect(await namesOf(tools.toReversed())).toEqual(names.toReversed());
        },
      ),
    );
  });
});

test('a prompt that could be confused with a prompt of another server has a suffix, also while that server is down', () => {
  expect(namePrompt('a', 'b_c', 'mcp', ['a', 'a_b'])).toMatch(/^mcp_a_b_c_[0-9a-f]{8}$/);
  expect(namePrompt('a_b', 'c', 'mcp', ['a', 'a_b'])).toBe('mcp_a_b_c');
  expect(namePrompt('a', 'x', 'mcp', ['a', 'a_b'])).toBe('mcp_a_x');
});
