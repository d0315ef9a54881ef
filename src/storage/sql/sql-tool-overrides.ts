import { isEmptyOverride, type ToolOverride, type ToolOverrideStore } from '../../catalog/tool-overrides.ts';
import { canonicalJson, hashOf } from '../../kernel/canonical-json.ts';
import { toolKey } from '../../kernel/tool-id.ts';
import type { Database } from './engine.ts';

// A statement takes a limited number of parameters.
const batch = 400;

/** Tool overrides in a database. */
export function createSqlToolOverrides(db: Database): ToolOverrideStore {
  return {
    async list() {
      const rows = await db.selectFrom('tool_overrides').select('body').orderBy('key').execute();
      return rows.map(({ body }) => JSON.parse(body) as ToolOverride);
    },
    async setAll(overrides) {
      await db.transaction().execute(async (trx) => {
        for (let at = 0; at < overrides.length; at += batch) {
          const part = new Map(overrides.slice(at, at + batch).map((item) => [hashOf(toolKey(item)), item]));
          await trx
            .deleteFrom('tool_overrides')
            .where('key', 'in', [...part.keys()])
            .execute();
          const rows = [...part]
            .filter(([, item]) => !isEmptyOverride(item))
            .map(([key, item]) => ({ key, body: canonicalJson(item) }));
          if (rows.length > 0) await trx.insertInto('tool_overrides').values(rows).execute();
        }
      });
    },
  };
}
