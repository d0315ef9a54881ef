import type { Caller } from '../../api/client.ts';
import { safeText } from '../safe-text.ts';

const kinds: Readonly<Record<Caller['kind'], string>> = {
  program: 'program',
  assistant: 'assistant',
  client: 'MCP client',
  person: 'person',
};

/** The kind of a caller, for people. */
export const kindOfCaller = ({ kind }: Caller): string => kinds[kind] ?? safeText(kind, 40);

/** The name of a caller, or its id where it has none. */
export const nameOfCaller = ({ name, id }: Caller): string => safeText(name || id, 120);
