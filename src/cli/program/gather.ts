/** For an option that may be given several times: all its values, in order. */
export function gather(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
