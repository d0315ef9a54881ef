import { canonicalJson } from '../../kernel/canonical-json.ts';
import type { RememberedRule, RuleStore } from '../../policy/remembered-rules.ts';
import type { Engine } from './engine.ts';

/** Approval rules in a database. */
export function createSqlRules({ db, exclusive }: Engine): RuleStore {
  // Each call reads the rules. They are cached if no other process can change them.
  let known: Promise<readonly RememberedRule[]> | undefined;

  async function read(): Promise<readonly RememberedRule[]> {
    const rows = await db.selectFrom('rules').select('body').orderBy('created_at').orderBy('id').execute();
    return rows.map(({ body }) => JSON.parse(body));
  }

  return {
    async list() {
      if (!exclusive) return read();
      known ??= read();
      const rules = known;
      rules.catch(() => {
        if (known === rules) known = undefined;
      });
      return rules;
    },
    async add(rule) {
      const row = { created_at: Date.parse(rule.createdAt) || 0, body: canonicalJson(rule) };
      await db
        .insertInto('rules')
        .values({ id: rule.id, ...row })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute();
      known = undefined;
    },
    async remove(id) {
      const { numDeletedRows } = await db.deleteFrom('rules').where('id', '=', id).executeTakeFirst();
      known = undefined;
      return numDeletedRows > 0n;
    },
  };
}
