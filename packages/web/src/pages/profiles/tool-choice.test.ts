import { expect, test } from 'vitest';
import type { ProfilePreview, Tool } from '../../api/client.ts';
import { createToolChoice } from './tool-choice.ts';

const tool = (originalName: string) =>
  ({ server: 's', originalName, name: `mcp_s_${originalName}` }) as unknown as Tool;
const [read, write] = [tool('read'), tool('write')];
const preview = (deniedBy: readonly string[], allowedBy: readonly string[] = []) =>
  ({
    tools: [{ server: 's', originalName: 'write', visible: true, allowedBy, deniedBy }],
  }) as unknown as ProfilePreview;

test('a profile that offers all tools lists those that are switched off', () => {
  const choice = createToolChoice({ allow: undefined, deny: [] }, undefined);
  expect([choice.isOff(read), choice.switch([write], false)]).toEqual([false, { allow: undefined, deny: ['s/write'] }]);
  const off = createToolChoice({ allow: undefined, deny: ['s/write'] }, undefined);
  expect([off.isOff(write), off.switch([write], true)]).toEqual([true, { allow: undefined, deny: [] }]);
});

test('a profile that offers only chosen tools lists those that are switched on', () => {
  const choice = createToolChoice({ allow: ['s/read'], deny: [] }, undefined);
  expect([choice.isOff(read), choice.isOff(write)]).toEqual([false, true]);
  expect(choice.switch([write], true)).toEqual({ allow: ['s/read', 's/write'], deny: [] });
  expect(choice.switch([read], false)).toEqual({ allow: [], deny: [] });
});

test('a tool that a pattern allows is hidden by name, and one that a pattern denies cannot be switched on', () => {
  const allowed = createToolChoice({ allow: ['s/*'], deny: [] }, preview([], ['s/*']));
  expect(allowed.switch([write], false)).toEqual({ allow: ['s/*'], deny: ['s/write'] });
  const denied = createToolChoice({ allow: undefined, deny: ['s/w*'] }, preview(['s/w*']));
  expect([denied.patternOf(write), denied.isOff(write)]).toEqual(['s/w*', true]);
});
