/** `createKey` as `Create key`, `putAssistant` as `Save assistant`. */
export function nameOperation(operation: string): string {
  const words = operation
    .replace(/^put(?=[A-Z])/, 'save')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-/;

/** The short values of an act: which key, server or profile it is about, without ids. */
export function describeAct(details: Readonly<Record<string, unknown>> | undefined): string {
  return Object.entries(details ?? {})
    .flatMap(([name, value]) => {
      if (typeof value === 'boolean') return [`${name}: ${value}`];
      return typeof value === 'string' && !uuid.test(value) ? [value] : [];
    })
    .slice(0, 3)
    .join(' · ');
}
