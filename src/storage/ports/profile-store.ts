import type { CheckedProfile } from '../../config/native-schema.ts';
import { ToolwharfError } from '../../kernel/errors.ts';

/** A profile that was created over the API. Durations are in milliseconds. */
export interface ProfileRecord extends CheckedProfile {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The store of profiles that were created while running. */
export interface ProfileStore {
  /** Sorted by name. */
  list(): Promise<readonly ProfileRecord[]>;
  get(id: string): Promise<ProfileRecord | undefined>;
  /** Adds the profile, or replaces the one with the same id. Rejects a name that is taken with `CONFLICT`. */
  put(record: ProfileRecord): Promise<void>;
  /** Returns false if there is none with this id. */
  remove(id: string): Promise<boolean>;
}

/** Two profiles of one name would have the same URL. */
export function profileNameTaken(name: string): ToolwharfError {
  return new ToolwharfError('CONFLICT', `There is a profile named '${name}' already: choose another name`, {
    data: { profile: name },
  });
}
