/** `createKey` as `Create key`. */
export function nameOperation(operation: string): string {
  const words = operation.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The short values of an act: which key, server or profile it is about. */
export function describeAct(details: Readonly<Record<string, unknown>> | undefined): string {
  return Object.entries(details ?? {})
    .flatMap(([name, value]) => {
      if (typeof value === 'boolean') return [`${name}: ${value}`];
      return typeof value === 'string' ? [value] : [];
    })
    .slice(0, 3)
    .join(' · ');
}
