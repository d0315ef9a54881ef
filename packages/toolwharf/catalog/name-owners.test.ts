import { expect, test } from 'vitest';
import type { ToolId } from '../kernel/tool-id.ts';
import { toolKey } from '../kernel/tool-id.ts';
import { createNameOwners, type NameClaim, type NameOwners } from './name-owners.ts';

const older: ToolId = { server: 'github', tool: 'enterprise_delete' };
const newer: ToolId = { server: 'github_enterprise', tool: 'delete' };
const claims = (...ids: ToolId[]): NameClaim[] => ids.map((id) => ({ id }));
const final = { final: true };
const assign = (owners: NameOwners, all: readonly NameClaim[], options: { readonly final: boolean }) => {
  const needsSuffix = owners.startAssignment(options);
  return new Map(all.map((claim) => [toolKey(claim.id), needsSuffix(claim)]));
};

test('a tool that comes later gets the suffix if an administrator gave its name to another tool [N9]', () => {
  const owners = createNameOwners();
  const renamed: ToolId = { server: 's', tool: 'add' };
  const late: ToolId = { server: 's', tool: 'sum' };
  const reserved = new Map([
    ['mcp_s_sum', toolKey(renamed)],
    ['s__sum', toolKey(renamed)],
  ]);
  const needsSuffix = owners.startAssignment({ final: true, reserved });
  expect([needsSuffix({ id: renamed }), needsSuffix({ id: late })]).toEqual([false, true]);
});

test('the tool that is added later gets the suffix, regardless of the order of the servers [N9, B8]', () => {
  for (const [first, second] of [
    [older, newer],
    [newer, older],
  ] as const) {
    const owners = createNameOwners();
    expect(assign(owners, claims(first), final).get(toolKey(first))).toBe(false);
    const both = assign(owners, claims(second, first), final);
    expect([both.get(toolKey(first)), both.get(toolKey(second))]).toEqual([false, true]);
  }
});

test('a name stays reserved while its tool is not offered [N9]', () => {
  const owners = createNameOwners();
  assign(owners, claims(older), final);
  expect(assign(owners, claims(newer), final).get(toolKey(newer))).toBe(true);
  expect(assign(owners, claims(newer, older), final).get(toolKey(older))).toBe(false);
});

test('a name is free after its server is removed, but assigned suffixes stay', () => {
  const owners = createNameOwners();
  assign(owners, claims(older, newer), final);
  owners.release(({ server }) => server === 'github');
  expect(assign(owners, claims(newer), final).get(toolKey(newer))).toBe(true);
  owners.release(({ server }) => server === 'github_enterprise');
  expect(assign(owners, claims(newer), final).get(toolKey(newer))).toBe(false);
});

test('until names are final, the order of the servers decides, not the order in which they connect', () => {
  const owners = createNameOwners();
  expect(assign(owners, claims(newer), { final: false }).get(toolKey(newer))).toBe(false);
  const settled = assign(owners, claims(older, newer), final);
  expect([settled.get(toolKey(older)), settled.get(toolKey(newer))]).toEqual([false, true]);
});

test('a tool that had a suffix before retains it', () => {
  const owners = createNameOwners();
  expect(assign(owners, [{ id: newer, suffixed: true }, { id: older }], final)).toEqual(
    new Map([
      [toolKey(newer), true],
      [toolKey(older), false],
    ]),
  );
});

test('a local tool and a tool of a server do not share a name', () => {
  const owners = createNameOwners();
  const local = { tool: 'mcp_github_search' };
  const remote = { server: 'github', tool: 'search' };
  expect([...assign(owners, claims(local, remote), final).values()]).toEqual([false, true]);
});
