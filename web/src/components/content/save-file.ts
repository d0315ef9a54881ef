/** Has the browser save something under a name. Names come from strangers: only what is harmless in one is kept. */
export function saveFile(name: string, data: BlobPart, type: string): void {
  const url = URL.createObjectURL(new Blob([data], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName(name);
  link.click();
  // The browser takes the data when it gets to it.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** The last part of a path or address as the name of a file. */
export function fileName(path: string): string {
  const last =
    path
      .replace(/[?#].*$/s, '')
      .split(/[/\\]/)
      .findLast((part) => part !== '') ?? '';
  const harmless = last
    .replace(/[^\w.-]+/g, '_')
    .replace(/^\.+/, '')
    .slice(-80);
  return harmless === '' ? 'result' : harmless;
}
