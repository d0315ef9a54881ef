/** Names for labels, at most so many: servers pick their tools' names, and every name is a series that stays. */
export interface BoundedNames {
  /** The name itself, or `other` when there are too many. */
  take(name: string): string;
}

export function createBoundedNames(max: number): BoundedNames {
  const names = new Set<string>();
  return {
    take(name) {
      if (names.has(name)) return name;
      if (names.size >= max) return 'other';
      names.add(name);
      return name;
    },
  };
}
