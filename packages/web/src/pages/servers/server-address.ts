/** The address of a server's page. */
export function serverAddress(name: string): string {
  return `/servers/${encodeURIComponent(name)}`;
}

/** The address of a server's inspector. */
export function inspectorAddress(name: string, tab?: 'sign-in'): string {
  return `${serverAddress(name)}/inspector${tab === undefined ? '' : `?tab=${tab}`}`;
}

/** Reads the server from a path made by `serverAddress`. */
export function readServer(path: string): string | undefined {
  const part = path.split('/')[2];
  if (part === undefined || part === '') return undefined;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
