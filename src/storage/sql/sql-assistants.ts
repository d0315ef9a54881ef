import { canonicalJson } from '../../kernel/canonical-json.ts';
import type { AssistantStore } from '../ports/assistant-store.ts';
import { parseAssistant } from '../ports/assistant-store.ts';
import type { Engine } from './engine.ts';

/** Assistants in a database. */
export function createSqlAssistants({ db }: Engine): AssistantStore {
  return {
    async list() {
      const rows = await db.selectFrom('assistants').select(['name', 'body']).execute();
      // Sorted here, since databases collate text differently.
      return rows.sort((one, other) => (one.name < other.name ? -1 : 1)).map(({ body }) => parseAssistant(body));
    },
    async get(id) {
      const row = await db.selectFrom('assistants').select('body').where('id', '=', id).executeTakeFirst();
      return row && parseAssistant(row.body);
    },
    async put(assistant) {
      const row = { name: assistant.name, body: canonicalJson(assistant) };
      await db
        .insertInto('assistants')
        .values({ id: assistant.id, ...row })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute();
    },
    async remove(id) {
      const { numDeletedRows } = await db.deleteFrom('assistants').where('id', '=', id).executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}
