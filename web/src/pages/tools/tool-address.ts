const kept = 'toolwharf.arguments';

// Longer addresses are refused along the way; what does not fit is kept aside in this tab.
const maxLength = 2_000;

/** Where a tool is shown. With arguments, they are filled in there, ready to be changed and run. */
export function toolAddress(tool: string, args?: Readonly<Record<string, unknown>>): string {
  // A dot would make it look like a file to whoever serves the page.
  const address = `/tools/${encodeURIComponent(tool).replaceAll('.', '%2E')}`;
  if (args === undefined) return address;
  const text = JSON.stringify(args);
  const encoded = encodeURIComponent(text);
  if (encoded.length <= maxLength) return `${address}?arguments=${encoded}`;
  sessionStorage.setItem(kept, text);
  return `${address}?arguments=kept`;
}

/** The tool that a path made by `toolAddress` names, as it stands in the address bar; undefined for none. */
export function toolIn(pathname: string): string | undefined {
  const [, encoded] = /^\/tools\/([^/]+)$/.exec(pathname) ?? [];
  if (encoded === undefined) return undefined;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/** The arguments that an address made by `toolAddress` carries; undefined for none. */
export function argumentsIn(search: string): Readonly<Record<string, unknown>> | undefined {
  const given = new URLSearchParams(search).get('arguments');
  const text = given === 'kept' ? sessionStorage.getItem(kept) : given;
  if (text === null) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}
