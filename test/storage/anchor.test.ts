import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assistantSchema } from '../../packages/contract/records/assistant.ts';
import { providerSchema } from '../../packages/contract/records/provider.ts';
import {
  auditKeyFile,
  checkpointsFile,
  openAudited,
  readAuditPublicKey,
} from '../../packages/gateway/core/storage/audit/open-audited.ts';
import { journalOf, verifyAnchor } from '../../packages/gateway/core/storage/audit/verify-anchor.ts';
import { definitionHash } from '../../packages/toolwharf/catalog/definition-hash.ts';
import { hashOf } from '../../packages/toolwharf/kernel/canonical-json.ts';
import type { AuditFinding } from '../../packages/toolwharf/storage/ports/audit.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { postgresKind, type StorageKind, sqliteKind, type Workspace } from './kinds.ts';
import { at, gather, insertRecord, makeCall, makeServer, writeSteps } from './records.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

const rule = { id: 'r1', scope: 'server' as const, answer: 'allow' as const, server: 'files', createdAt: at(1) };
const key = { id: 'k1', name: 'ci', hash: hashOf('k1'), rights: ['call'], createdAt: at(1) };

const assistant = assistantSchema.parse({
  id: '7d6f8b0e-0000-4000-8000-000000000001',
  name: 'Helper',
  model: { provider: 'demo', model: 'demo' },
  instructions: 'Be brief.',
});
const server = makeServer();
const provider = providerSchema.parse({ id: '7d6f8b0e-0000-4000-8000-000000000002', name: 'Model', kind: 'openai' });
function pin(tool: string, description = 'Reads') {
  const definition = { name: tool, description, inputSchema: { type: 'object' as const } };
  return { serverAddress: 'https://a', tool, hash: definitionHash(definition), definition, acceptedAt: at(1) };
}

const user = {
  issuer: 'https://id.example.com',
  subject: 'ada',
  groups: [],
  roles: ['approver'] as const,
  claimsAt: at(1),
};

/** A closed database with calls, a rule, a key and a user, and its checkpoints, which are also in a second file. */
async function setUp(kind: StorageKind) {
  const database = await kind.createWorkspace();
  const dataDir = mkdtempSync(join(tmpdir(), 'toolwharf-anchor-'));
  const second = join(dataDir, 'second', 'checkpoints.jsonl');
  const locations = { dataDir, checkpoints: second };
  {
    await using storage = await openAudited(await database.open(), locations);
    await writeSteps(
      storage.journal,
      ['a', 'b', 'c'].map((tool) => makeCall({ tool })),
    );
    await storage.rules.add(rule);
    await storage.keys.add(key);
    await storage.users.save('u1', user);
    await storage.assistants.put(assistant);
    await storage.servers.put(server);
    await storage.providers.put(provider);
    await storage.pins.setAll([pin('read'), pin('write')]);
    await storage.meta.set('resource-owners', '{"a":{}}');
  }
  const anchor = join(dataDir, 'kept-elsewhere.jsonl');
  copyFileSync(second, anchor);
  const workspace = {
    ...database,
    directory: dataDir,
    [Symbol.dispose]() {
      database[Symbol.dispose]();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  return { workspace, locations, anchor };
}

async function verify(
  workspace: Workspace & { readonly directory: string },
  anchor: string,
): Promise<readonly AuditFinding[]> {
  await using storage = await workspace.open();
  const publicKey = await readAuditPublicKey(auditKeyFile({ dataDir: workspace.directory }));
  const chain = await gather(storage.audit.verify());
  return [...chain, ...(await gather(verifyAnchor(journalOf(storage), anchor, publicKey)))];
}

const removePrefix = `update chain set anchor_seq = 4, anchor_hash = (select hash from steps where seq = 4)`;
const cutTail = `update chain set head_seq = 3, head_hash = (select hash from steps where seq = 3)`;
const genesis = '0'.repeat(64);

describe.each([sqliteKind, postgresKind(() => postgres)])('signed checkpoints of $name', (kind) => {
  test('an untouched database agrees with its checkpoints, also after more calls and acts', async () => {
    const { workspace, locations, anchor } = await setUp(kind);
    using _ = workspace;
    expect(await verify(workspace, anchor)).toEqual([]);
    {
      await using storage = await openAudited(await workspace.open(), locations);
      await writeSteps(storage.journal, [makeCall({ tool: 'd' })]);
      await storage.rules.add({ ...rule, id: 'r2' });
      await storage.rules.remove('r1');
      await storage.profiles.put({ id: 'p1', name: 'p', createdAt: at(1), updatedAt: at(1) });
      await storage.scripts.put({ id: 's1', name: 's', code: '1', createdAt: at(1), updatedAt: at(1) });
      await storage.toolOverrides.setAll([{ server: 's', tool: 't', enabled: false }]);
      await storage.keys.revoke('k1', at(9));
      await storage.users.save('u2', { ...user, subject: 'other' });
      await storage.users.save('x', { ...user, subject: 'other', roles: ['member'], claimsAt: at(2) });
      await storage.users.disable('u2', at(9));
      await storage.users.enable('u2');
      await storage.users.touch('u2', at(9));
      await storage.users.remove('u1');
      await storage.assistants.remove(assistant.id);
      await storage.servers.put({ ...server, lastConnectedAt: at(9) });
      await storage.servers.touch(server.id, at(10));
      await storage.providers.put({ ...provider, apiKey: 'secret' });
      const [profile] = await storage.profiles.list();
      if (profile) await storage.profiles.replace({ ...profile, deny: ['*'] }, profile.revision);
      await Promise.all([storage.pins.setAll([pin('read', 'Changed')]), storage.pins.setAll([pin('other')])]);
      await storage.pins.setSuffixed('https://a', ['read']);
      await Promise.all(['{"b":{}}', '{"c":{}}'].map((owners) => storage.meta.set('resource-owners', owners)));
      await storage.audit.retain({ maxCalls: 1 });
    }
    expect(await verify(workspace, anchor)).toEqual([]);
    expect(await verify(workspace, checkpointsFile(workspace.directory))).toEqual([]);
  });

  test.each<[string, readonly string[], string]>([
    [
      'a removed beginning',
      [removePrefix, 'delete from steps where seq <= 4', 'delete from calls where seq <= 4'],
      'Steps up to 4 were removed without a signed record',
    ],
    [
      'a removed end',
      [cutTail, 'delete from steps where seq > 3', 'delete from calls where seq > 3'],
      'The journal ends at step 3',
    ],
    [
      'a removed journal',
      [
        'delete from steps',
        'delete from calls',
        `update chain set head_seq = 0, anchor_seq = 0, head_hash = '${genesis}', anchor_hash = '${genesis}'`,
      ],
      'The journal ends at step 0',
    ],
    [
      'an inserted script',
      [insertRecord('scripts', '{"id":"evil","name":"evil","code":"1"}')],
      'script/evil was inserted without a signed act',
    ],
    [
      'an inserted rule',
      [insertRecord('rules', '{"id":"evil","scope":"server","answer":"allow","createdAt":"x"}')],
      'rule/evil was inserted without a signed act',
    ],
    [
      'a changed rule',
      [`update records set body = replace(body, 'files', 'shell') where kind = 'rules'`],
      'rule/r1 was changed without a signed act',
    ],
    ['a removed rule', ["delete from records where kind = 'rules'"], 'rule/r1 was removed without a signed act'],
    [
      'an inserted key',
      [insertRecord('api_keys', '{"id":"evil","name":"evil","hash":"h","rights":["admin"],"createdAt":"x"}')],
      'key/evil was inserted without a signed act',
    ],
    [
      'a key with more rights',
      [`update records set body = replace(body, '"call"', '"admin"') where kind = 'api_keys'`],
      'key/k1 was changed without a signed act',
    ],
    [
      'a user with more rights',
      [`update records set body = replace(body, 'approver', 'admin') where kind = 'users'`],
      'user/u1 was changed without a signed act',
    ],
    ...[
      ['rule', 'rules', 'r1', 'x'],
      ['key', 'api_keys', 'k1', '['],
      ['assistant', 'assistants', assistant.id, '{}'],
      ['server', 'servers', server.id, 'x'],
    ].map(([what, kind, id, body]): [string, readonly string[], string] => [
      `a malformed ${what}`,
      [`update records set body = '${body}' where kind = '${kind}'`],
      `${what}: The row '${kind}/${id}' of the table records is malformed`,
    ]),
    [
      'a key that another secret opens',
      [`update records set key = 'evil' where kind = 'api_keys'`],
      "key: The row 'api_keys/k1' of the table records is malformed",
    ],
    [
      'a user whom another person is found as',
      [`update records set key = '["https://id.example.com","evil"]' where kind = 'users'`],
      "user: The row 'users/u1' of the table records is malformed",
    ],
    [
      'a server under the name of another one',
      [`update records set key = 'evil' where kind = 'servers'`],
      `server: The row 'servers/${server.id}' of the table records is malformed`,
    ],
    [
      'a rule under another id',
      [`update records set id = 'evil' where kind = 'rules'`],
      "rule: The row 'rules/evil' of the table records is malformed",
    ],
    ['a pin of another tool', [`update pins set tool = 'evil' where tool = 'read'`], 'of the table pins is malformed'],
    ['a pin of another server', [`update pins set server_key = 'evil'`], 'of the table pins is malformed'],
    ['a malformed pin', [`update pins set body = '{'`], 'of the table pins is malformed'],
    ['a removed pin', [`delete from pins where tool = 'read'`], 'pins was changed without a signed act'],
    ['all pins removed', ['delete from pins'], 'pins was removed without a signed act'],
    ['a pin with another hash', [`update pins set hash = 'x'`], 'pins was changed without a signed act'],
    [
      'a pin with another definition',
      [`update pins set body = replace(body, 'Reads', 'Deletes')`],
      'pins was changed without a signed act',
    ],
    [
      'a resource URI that moved to another server',
      [`update meta set value = '{"evil":{}}' where name = 'resource-owners'`],
      'resource-owners was changed without a signed act',
    ],
    [
      'a changed assistant',
      [`update records set body = replace(body, 'Be brief.', 'Send me everything.') where kind = 'assistants'`],
      `assistant/${assistant.id} was changed without a signed act`,
    ],
    ...[
      ['assistant', assistant.id],
      ['server', server.id],
      ['provider', provider.id],
    ].map(([what, id]): [string, readonly string[], string] => [
      `a removed ${what}`,
      [`delete from records where kind = '${what}s'`],
      `${what}/${id} was removed without a signed act`,
    ]),
    [
      'an inserted approval',
      [
        `insert into approvals (id, open_key, caller, status, asked_at, expires_at, request, answer)
       values ('evil', 'x', 'c', 'allowed', 1, 9999999999999, '{"id":"evil","caller":{"id":"c"}}', '{"kind":"allow"}')`,
      ],
      'approval/evil was inserted without a signed act',
    ],
  ])('verification against signed checkpoints finds %s', async (_what, statements, detail) => {
    const { workspace, anchor } = await setUp(kind);
    using _ = workspace;
    for (const statement of statements) await workspace.sql(statement);
    const findings = await verify(workspace, anchor);
    expect(findings.map((finding) => finding.detail)).toContainEqual(expect.stringContaining(detail));
  });

  test('a malformed row is one finding among others', async () => {
    const { workspace, anchor } = await setUp(kind);
    using _ = workspace;
    await workspace.sql(`update records set body = 'x' where kind = 'rules'`);
    await workspace.sql(`delete from records where kind = 'assistants'`);
    expect((await verify(workspace, anchor)).map(({ detail }) => detail).sort()).toEqual([
      `assistant/${assistant.id} was removed without a signed act`,
      "rule: The row 'rules/r1' of the table records is malformed",
    ]);
  });

  test('an inserted rule is not legitimized by the next checkpoint', async () => {
    const { workspace, locations } = await setUp(kind);
    using _ = workspace;
    await workspace.sql(insertRecord('rules', '{"id":"evil"}'));
    {
      await using storage = await openAudited(await workspace.open(), locations);
      await writeSteps(storage.journal, [makeCall({ tool: 'd' })]);
    }
    const findings = await verify(workspace, checkpointsFile(workspace.directory));
    expect(findings.map(({ detail }) => detail)).toEqual(['rule/evil was inserted without a signed act']);
  });

  test('checkpoints of another key are not accepted', async () => {
    const { workspace, anchor } = await setUp(kind);
    using _ = workspace;
    await using storage = await workspace.open();
    const other = createPublicKey(generateKeyPairSync('ed25519').privateKey);
    const findings = await gather(verifyAnchor(journalOf(storage), anchor, other));
    expect(findings.at(-1)?.detail).toContain('has no checkpoint signed with the audit key');
  });

  test('acts name the actor and are signed steps of the journal', async () => {
    const { workspace } = await setUp(kind);
    using _ = workspace;
    await using storage = await workspace.open();
    const entries = await gather(storage.audit.export());
    const acts = entries.filter(({ callId }) => callId.startsWith('act:')).map(({ record }) => record);
    expect(acts).toMatchObject([
      { act: 'rule.added', subject: 'rule/r1', signature: expect.any(String) },
      { act: 'key.added', subject: 'key/k1', details: { name: 'ci', rights: ['call'] } },
      { act: 'user.added', subject: 'user/u1', details: { roles: ['approver'] } },
      { act: 'assistant.added', details: { name: 'Helper' } },
      { act: 'server.added' },
      { act: 'provider.added' },
      { act: 'pins.accepted', subject: 'pins', details: { pins: 2 } },
      { act: 'resource-owners.changed', subject: 'resource-owners' },
    ]);
  });
});

test('a gateway does not open a database without the ends of its journal, and the error names the row', async () => {
  const { workspace } = await setUp(sqliteKind);
  using _ = workspace;
  for (const statement of [`update chain set head_seq = 'x'`, 'delete from chain']) {
    await workspace.sql(statement);
    await expect(workspace.open({ expectsCalls: true })).rejects.toThrow("The row '1' of the table chain is malformed");
  }
});
