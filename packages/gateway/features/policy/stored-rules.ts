import { ToolwharfError } from '../../../contract/errors.ts';
import type { PolicyRule } from '../../../contract/settings/config.ts';
import { ConditionError } from '../../../toolwharf/features/policy/cel/errors.ts';
import { type CompiledRule, compileRule, toUnusableRule } from '../../../toolwharf/features/policy/compile-rules.ts';
import { createHooks } from '../../../toolwharf/features/policy/policy-plugin.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import type { Plugin } from '../../../toolwharf/plugins/plugin.ts';
import type { PolicyRuleRecord, RecordStore, Stored } from '../../../toolwharf/storage/ports/record-store.ts';
import type { AdministeredToolbox } from '../../../toolwharf/toolbox.ts';
import type { PortsKey } from '../../core/feature-api.ts';
import { administer, nameTaken, noRecord, type SettingsOf } from '../../core/records/administer.ts';

/** A rule in use, and the record of one that is stored. */
export interface UsedRule {
  readonly rule: CompiledRule;
  readonly record?: Stored<PolicyRuleRecord>;
  /** Why a stored rule cannot be compiled. */
  readonly problem?: string;
}

/** The settings of a rule, without its id. */
export type RuleSettings = Omit<SettingsOf<PolicyRuleRecord>, 'name'>;

/** Rules stored over the API, beside those of the configuration file. A rule of the file with the same id wins. */
export interface StoredRules {
  /** Reads the stored rules and uses them for all calls from now on. Another replica may have changed them. */
  reload(): Promise<void>;
  /** The rules of the configuration file, then the stored ones. */
  list(): readonly UsedRule[];
  /** Rejects if there is none. */
  find(id: string): UsedRule;
  /** Stores a rule. Rejects an id that is taken, and a condition that cannot be compiled. */
  add(id: string, settings: RuleSettings): Promise<void>;
  /** Replaces a stored rule. Rejects if it does not have the revision, if one is given. */
  update(id: string, settings: RuleSettings, revision?: number): Promise<void>;
  remove(id: string): Promise<void>;
}

export const rulePorts: PortsKey<StoredRules> = { feature: 'policy' };

/** The plugin that applies stored rules. */
export interface StoredRulesPlugin {
  readonly plugin: Plugin;
  /** Resolves when calls are judged with these rules instead of those before. */
  set(rules: readonly CompiledRule[]): Promise<void>;
}

export function createStoredRulesPlugin(): StoredRulesPlugin {
  let rules: readonly CompiledRule[] = [];
  let announce: () => Promise<void> = async () => {};
  return {
    plugin: {
      name: 'toolwharf.stored-policy',
      configure: ({ policy }) => createHooks(rules.filter(({ id }) => !policy?.rules.some((rule) => rule.id === id))),
      subscribe(changed) {
        announce = changed;
      },
    },
    set(next) {
      rules = next;
      return announce();
    },
  };
}

export interface StoredRulesOptions {
  readonly toolbox: Pick<AdministeredToolbox, 'config' | 'loaded'>;
  readonly store: RecordStore<PolicyRuleRecord>;
  readonly use: StoredRulesPlugin['set'];
  readonly log: Log;
}

/** The limit of the configuration file. */
const maxRules = 1_000;

export function createStoredRules({ toolbox, store, use, log }: StoredRulesOptions): StoredRules {
  const reported = new Set<string>();
  let compiled: readonly UsedRule[] = [];
  const ofFile = () => toolbox.config.policy?.rules ?? [];
  const isInFile = (id: string) => ofFile().some((rule) => rule.id === id);
  const stored = administer({
    ...{ noun: 'rule', store, file: () => toolbox.loaded.file, isInFile },
    async apply(records) {
      compiled = records.map(compileStored);
      for (const { rule, problem } of compiled) {
        if (problem === undefined || reported.has(rule.id)) continue;
        reported.add(rule.id);
        const message = `The stored rule '${rule.id}' cannot be used, so that its onFailure (${rule.onFailure}) decides about all calls: ${problem}`;
        log.error('policy.rule-unusable', message, { rule: rule.id });
      }
      await use(compiled.map(({ rule }) => rule));
    },
  });

  function list(): readonly UsedRule[] {
    const file = ofFile().map((rule) => ({ rule: { ...rule, condition: compileRule(rule) } }));
    return [...file, ...compiled.filter(({ rule }) => !isInFile(rule.id))];
  }

  function assertUsable(id: string, settings: RuleSettings): void {
    try {
      compileRule(settings);
    } catch (cause) {
      if (!(cause instanceof ConditionError)) throw cause;
      const { line, column, reason } = cause;
      throw new ToolwharfError('CONFIG_INVALID', `Rule '${id}': line ${line}, column ${column}: ${reason}`, {
        data: { rule: id, problems: [{ path: 'body.when', message: `line ${line}, column ${column}: ${reason}` }] },
      });
    }
  }

  return {
    reload: stored.reload,
    list,
    find(id) {
      const found = list().find(({ rule }) => rule.id === id);
      if (!found) throw noRecord('rule', id);
      return found;
    },
    add: (id, settings) =>
      stored.change(() => {
        if (isInFile(id) || stored.current.some(({ name }) => name === id)) throw nameTaken('rule', id);
        if (stored.current.length >= maxRules)
          throw new ToolwharfError('CONFLICT', `There are ${maxRules} stored rules already: delete one first`);
        assertUsable(id, settings);
        return stored.add({ ...settings, name: id });
      }),
    update: (id, settings, revision) =>
      stored.change(() => {
        const before = stored.mustFind(id, revision);
        assertUsable(id, settings);
        return stored.replace(before, { ...settings, name: id });
      }),
    remove: (id) => stored.change(() => stored.remove(stored.mustFind(id))),
  };
}

function compileStored(record: Stored<PolicyRuleRecord>): UsedRule {
  const { name, revision: _, createdAt: _created, updatedAt: _updated, ...settings } = record;
  const rule: PolicyRule = { ...settings, id: name };
  try {
    return { record, rule: { ...rule, condition: compileRule(rule) } };
  } catch (cause) {
    if (!(cause instanceof ConditionError)) throw cause;
    return { record, problem: cause.message, rule: toUnusableRule(rule, cause.message) };
  }
}
