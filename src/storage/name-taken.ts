import { ToolwharfError } from '../kernel/errors.ts';

/** Two servers of one name could not be told apart. */
export function nameTaken(name: string): ToolwharfError {
  const message = `There is a server named '${name}' already: choose another name`;
  return new ToolwharfError('CONFIG_INVALID', message, { data: { problems: [{ path: 'name', message }] } });
}
