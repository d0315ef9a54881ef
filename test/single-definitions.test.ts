import { glob, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { approvalScopes } from '../packages/contract/approvals.ts';
import { callEnds, callStatuses } from '../packages/contract/calls.ts';
import { connectionStates } from '../packages/contract/connections.ts';
import {
  approvalModes,
  approverGroups,
  argumentValidations,
  exposures,
  namings,
  onChangeActions,
  placements,
  protocolChoices,
  toolModes,
} from '../packages/contract/settings/choices.ts';
import { transports } from '../packages/contract/settings/transports.ts';

async function sources(): Promise<readonly { readonly file: string; readonly text: string }[]> {
  const found: { file: string; text: string }[] = [];
  for await (const file of glob([
    'packages/{contract,toolwharf,gateway/core,gateway/features,cli}/**/*.ts',
    'packages/web/src/**/*.{ts,tsx}',
  ])) {
    if (/\.test\.tsx?$|\.d\.ts$/.test(file)) continue;
    found.push({ file: file.replaceAll('\\', '/'), text: await readFile(file, 'utf8') });
  }
  return found;
}

test('a new transport touches at most six files besides its own, and the decision record lists them', async () => {
  // Server-sent events stand for any transport: the name has no other meaning in the code.
  const naming = (await sources()).filter(({ text }) => /['"]sse['"]|^\s*sse:/m.test(text)).map(({ file }) => file);
  const record = await readFile('docs/decisions/016-one-server-schema.md', 'utf8');
  const listed = [...record.matchAll(/^- `([^`]+)`:/gm)].map(([, file]) => file);
  expect(naming.sort()).toEqual(listed.sort());
  expect(listed.length).toBeLessThanOrEqual(6);
});

test.each([
  ['transports', transports],
  ['tool modes', toolModes],
  ['namings', namings],
  ['approval modes', approvalModes],
  ['reactions to a changed definition', onChangeActions],
  ['approver groups', approverGroups],
  ['ways to validate arguments', argumentValidations],
  ['ways to list tools', exposures],
  ['placements', placements],
  ['protocol choices', protocolChoices],
  ['connection states', connectionStates],
  ['call statuses', callStatuses],
  ['ends of a call', callEnds],
  ['scopes of an answer', approvalScopes],
])('the %s are defined once', async (_, values: readonly string[]) => {
  const list = new RegExp(values.map((value) => `['"]${value}['"]`).join(String.raw`\s*[,|]\s*`));
  const listing = (await sources()).filter(({ file, text }) => !file.startsWith('packages/web/') && list.test(text));
  expect(listing).toHaveLength(1);
});
