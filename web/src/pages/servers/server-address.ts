/** Where a server is shown. */
export function serverAddress(name: string): string {
  return `/servers/${encodeURIComponent(name)}`;
}

/** The server that a path of the page names, if any. */
export function nameInPath(path: string): string | undefined {
  const part = path.split('/')[2];
  if (part === undefined || part === '') return undefined;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
