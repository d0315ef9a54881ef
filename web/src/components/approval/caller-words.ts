import type { Caller } from '../../api/client.ts';
import { safeText } from '../safe-text.ts';

const kinds: Readonly<Record<Caller['kind'], string>> = {
  program: 'program',
  assistant: 'assistant',
  client: 'MCP client',
  person: 'person',
};

/** What kind of caller it is, in a word or two. */
export const kindOfCaller = ({ kind }: Caller): string => kinds[kind] ?? safeText(kind, 40);

/** What a caller is called: its name, or its id where it has none. */
export const nameOfCaller = ({ name, id }: Caller): string => safeText(name || id, 120);
