import { text } from '../../../text/text.ts';

const operations = new Map(Object.entries(text.settings.activity.operations));

/** The name of an operation. A record of another version may have one without a text: `createKey` becomes `create key`. */
export function nameOperation(operation: string): string {
  return operations.get(operation) ?? operation.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
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
