/** The command that makes this call. */
export function toCliCommand(tool: string, args: Readonly<Record<string, unknown>>): string {
  const base = `toolwharf call ${shellQuote(tool)}`;
  return Object.keys(args).length === 0 ? base : `${base} --args ${shellQuote(JSON.stringify(args))}`;
}

/** The curl command that makes this call, with the key from the environment. */
export function toCurlCommand(origin: string, tool: string, args: Readonly<Record<string, unknown>>): string {
  const url = `${origin}/api/tools/${encodeURIComponent(tool)}/call`;
  return [
    `curl -s ${shellQuote(url)}`,
    '-H "authorization: Bearer $TOOLWHARF_API_KEY"',
    "-H 'content-type: application/json'",
    `-d ${shellQuote(JSON.stringify({ arguments: args }))}`,
  ].join(' \\\n  ');
}

/** Quotes a string as one word of a POSIX shell. */
export function shellQuote(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", "'\\''")}'`;
}
