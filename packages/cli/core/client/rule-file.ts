import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf, ToolwharfError } from '../../../contract/errors.ts';
import { isObject } from '../../../contract/json.ts';
import type { RememberedRule, RuleStore } from '../../../toolwharf/policy/remembered-rules.ts';
import { writeFileAtomically } from './write-file.ts';

/** Stores remembered approvals in a JSON file. An unreadable file is an error, since it may contain a denial. */
export function createRuleFile(file: string): RuleStore {
  async function list(): Promise<readonly RememberedRule[]> {
    let text: string;
    try {
      text = await readFile(file, 'utf8');
    } catch (cause) {
      if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return [];
      throw unreadable(file, messageOf(cause), cause);
    }
    return parse(text, file);
  }

  async function save(rules: readonly RememberedRule[]): Promise<void> {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFileAtomically(file, `${JSON.stringify({ rules }, null, 2)}\n`);
  }

  return {
    list,
    async add(rule) {
      await save([...(await list()), rule]);
    },
    async remove(id) {
      const before = await list();
      const after = before.filter((rule) => rule.id !== id);
      if (after.length === before.length) return false;
      await save(after);
      return true;
    },
  };
}

function parse(text: string, file: string): readonly RememberedRule[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw unreadable(file, messageOf(cause), cause);
  }
  const rules = isObject(value) ? value.rules : undefined;
  if (Array.isArray(rules) && rules.every(isRule)) return rules;
  throw unreadable(file, 'it does not contain a list of rules');
}

function isRule(value: unknown): value is RememberedRule {
  if (!isObject(value)) return false;
  const { id, scope, answer, createdAt, serverAddress, tool, definitionHash } = value;
  const isComplete = scope === 'server' || (typeof tool === 'string' && typeof definitionHash === 'string');
  return (
    typeof id === 'string' &&
    typeof createdAt === 'string' &&
    (scope === 'tool' || scope === 'server' || scope === 'conversation') &&
    (answer === 'allow' || answer === 'deny') &&
    (serverAddress === undefined || typeof serverAddress === 'string') &&
    isComplete
  );
}

function unreadable(file: string, reason: string, cause?: unknown): ToolwharfError {
  const message = `Cannot read the remembered approvals in '${file}': ${reason}. Fix the file, or delete it to be asked again`;
  return new ToolwharfError('CONFIG_INVALID', message, { cause, data: { file } });
}
