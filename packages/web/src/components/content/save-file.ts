/** Downloads data as a file. Names are untrusted: only harmless characters are kept. */
export function saveFile(name: string, data: BlobPart, type: string): void {
  const url = URL.createObjectURL(new Blob([data], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName(name);
  link.click();
  // The browser reads the data later.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A safe file name from the last part of a path or URL. */
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
