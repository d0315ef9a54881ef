import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tempDir } from '../../support/fixtures.ts';
import { root } from '../../support/imports.ts';
import type { TestPostgres } from '../../support/postgres.ts';

/** The last version with other tables, from which a fleet is upgraded to this one. */
export const previousVersion = JSON.parse(
  readFileSync(new URL('./previous-version.json', import.meta.url), 'utf8'),
) as { readonly commit: string; readonly columns: readonly Column[] };

/** A column of a table in Postgres. */
export interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly isNullable: boolean;
  readonly hasDefault: boolean;
}

/** The columns of all tables in the schema of the URL. */
export async function readColumns(postgres: TestPostgres, url: string): Promise<readonly Column[]> {
  const rows = await postgres.query(
    url,
    `select table_name as "table", column_name as "column", data_type as type, is_nullable = 'YES' as "isNullable",
       column_default is not null or is_identity = 'YES' as "hasDefault"
     from information_schema.columns where table_schema = current_schema() order by table_name, ordinal_position`,
  );
  return rows as unknown as Column[];
}

/** The sources of the previous version and its command line, which Node runs without a build. */
export interface PreviousSources extends AsyncDisposable {
  readonly program: string;
}

/** Extracts the previous version from the history of the repository; undefined if that is not there. */
export async function extractPrevious(): Promise<PreviousSources | undefined> {
  const run = promisify(execFile);
  const dir = await tempDir();
  const archive = dir.file('previous.tar');
  try {
    await run('git', ['archive', '--output', archive, previousVersion.commit, 'src', 'package.json'], { cwd: root });
    await run('tar', ['-xf', archive, '-C', dir.path]);
  } catch {
    // A package without history, or a shallow clone.
    await dir[Symbol.asyncDispose]();
    return undefined;
  }
  await symlink(join(root, 'node_modules'), dir.file('node_modules'));
  return { program: dir.file('src/cli/main.ts'), [Symbol.asyncDispose]: dir[Symbol.asyncDispose] };
}
