import { canonicalKeys, canonicalMember } from './canonical-keys.ts';
import type { CheckContext } from './check-context.ts';
import { checkSchema, keysOf } from './check-schema.ts';
import { approvalSchema, type CheckedProfiles, profileSchema, profilesSchema } from './native-schema.ts';
import { isPlainMap, type PlainData } from './plain-data.ts';

/** Checks `profiles:`. */
export function checkProfiles(value: PlainData, context: CheckContext): CheckedProfiles | undefined {
  const path = ['profiles'];
  if (!isPlainMap(value)) return checkSchema(profilesSchema, value, path, context);
  const profiles = Object.entries(value).map(([name, profile]) => {
    // A name alone is a profile that changes nothing.
    if (profile === null) return [name, {}] as const;
    if (!isPlainMap(profile)) return [name, profile] as const;
    const canonical = canonicalKeys(profile, keysOf(profileSchema), [...path, name], context);
    canonicalMember(canonical, 'approval', keysOf(approvalSchema), [...path, name], context);
    return [name, canonical] as const;
  });
  return checkSchema(profilesSchema, Object.fromEntries(profiles), path, context);
}
