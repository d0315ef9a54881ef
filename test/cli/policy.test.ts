import { writeFile } from 'node:fs/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { tempDir } from '../support/fixtures.ts';
import { cliIn } from '../support/run-cli.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());
const cli = cliIn(directory);

const good = `
servers: {}
policy:
  rules:
    - id: mail-outside
      when: call.server == 'mail' && !call.args.to.endsWith('@example.com')
      then: ask
      examples:
        - { call: { server: mail, args: { to: eve@evil.example } }, applies: true }
        - { call: { server: mail, args: { to: ada@example.com } }, applies: false }
    - id: at-night
      when: now.getHours('Europe/Berlin') < 6 && !('admin' in person.roles)
      then: deny
      mode: shadow
      profiles: [team]
      examples:
        - { profile: team, now: '2026-01-31T02:00:00Z', applies: true }
        - { profile: team, now: '2026-01-31T02:00:00Z', person: { roles: [admin] }, applies: false }
        - { profile: other, now: '2026-01-31T02:00:00Z', applies: false }
`;

describe('toolwharf policy check', () => {
  test('the command lists the rules of a file that compile', async () => {
    const file = directory.file('good.yaml');
    await writeFile(file, good);
    const { code, stdout } = await cli.run(['policy', 'check', file]);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('mail-outside') });
    const json = await cli.run(['policy', 'check', file, '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject([
      { id: 'mail-outside', then: 'ask', mode: 'enforce', onFailure: 'ask' },
      { id: 'at-night', then: 'deny', mode: 'shadow', profiles: ['team'] },
    ]);
  });

  test('the command reports file, line, column and the nearest name of every rule that does not', async () => {
    const file = directory.file('broken.yaml');
    await writeFile(file, good.replace('call.server ==', 'call.sever ==').replace('now.getHours', 'now.getHour'));
    const { code, stderr } = await cli.run(['policy', 'check', file]);
    expect(code).toBe(3);
    expect(stderr).toContain(
      'broken.yaml:6:18  policy.rules[0].when  unknown variable call.sever; did you mean call.server?',
    );
    expect(stderr).toContain(
      'broken.yaml:12:17  policy.rules[1].when  unknown function getHour; did you mean getHours?',
    );
  });
});

describe('toolwharf policy test', () => {
  test('the command tries every rule with the examples beside it', async () => {
    const file = directory.file('good.yaml');
    await writeFile(file, good);
    const { code, stdout } = await cli.run(['policy', 'test', file]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: '✔ mail-outside  2 examples\n✔ at-night  3 examples\nAll 5 examples have the stated outcome\n',
    });
  });

  test('the command fails for an example with another outcome, and for one without a value', async () => {
    const file = directory.file('wrong.yaml');
    const wrong = good
      .replace('to: ada@example.com } }, applies: false', 'to: ada@example.com } }, applies: true')
      .replace('args: { to: eve@evil.example }', 'args: {}');
    await writeFile(file, wrong);
    const { code, stdout } = await cli.run(['policy', 'test', file]);
    expect(code).toBe(1);
    expect(stdout).toContain('example 1: the condition has no value: there is no call.args.to');
    expect(stdout).toContain('example 2: the rule does not apply, and should');
    expect(stdout).toContain('2 examples of 5 failed');
    const json = JSON.parse((await cli.run(['policy', 'test', file, '--json'])).stdout);
    expect(json).toMatchObject({
      ok: false,
      rules: [{ id: 'mail-outside', failed: [{ number: 1 }, { number: 2 }] }, {}],
    });
  });

  test('a misspelt member of an example is reported, so that no example passes by accident', async () => {
    const file = directory.file('misspelt.yaml');
    await writeFile(file, good.replace('{ server: mail, args:', '{ server: mail, arg:'));
    const { code, stderr } = await cli.run(['policy', 'test', file]);
    expect(code).toBe(3);
    expect(stderr).toContain("unknown key, found 'arg'");
  });
});
