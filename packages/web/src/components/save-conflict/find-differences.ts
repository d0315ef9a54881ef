import type { FormField } from '../../../../contract/form-fields.ts';
import { ApiError } from '../../api/client.ts';
import { isRecord } from '../is-record.ts';
import { isSameValue, type SettingValues } from '../settings-form/setting-values.ts';

/** Somebody else changed the record after it was read. */
export interface SaveConflict<Stored> {
  /** The record as it is stored now, as the API shows it. */
  readonly current: Stored;
  readonly revision: number;
}

/** The conflict that a failed save reports; undefined for any other error. */
export function readConflict<Stored>(error: unknown): SaveConflict<Stored> | undefined {
  if (!(error instanceof ApiError) || error.code !== 'CONFLICT' || !isRecord(error.data)) return undefined;
  const { reason, current, revision } = error.data;
  if (reason !== 'revision' || !isRecord(current) || typeof revision !== 'number') return undefined;
  return { current: current as Stored, revision };
}

export interface Difference {
  readonly key: string;
  readonly label: string;
  readonly mine: unknown;
  readonly theirs: unknown;
}

/** The settings in which two bodies of a record differ, named as in its form; those of a group one by one. */
export function findDifferences(
  fields: readonly FormField[],
  mine: SettingValues,
  theirs: SettingValues,
): Difference[] {
  const order = [...fields.map(({ key }) => key), ...Object.keys(mine), ...Object.keys(theirs)];
  return [...new Set(order)].flatMap((key) => {
    const [one, other] = [mine[key], theirs[key]];
    if (isSameValue(one, other)) return [];
    const field = fields.find((candidate) => candidate.key === key);
    if (field?.fields)
      return findDifferences(field.fields, isRecord(one) ? one : {}, isRecord(other) ? other : {}).map((inner) => ({
        ...inner,
        key: `${key}.${inner.key}`,
      }));
    return [{ key, label: field?.label ?? key, mine: one, theirs: other }];
  });
}
