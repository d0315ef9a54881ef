const inherited = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TERM',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TZ',
  'TMPDIR',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMFILES',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
];

/**
 * The environment of a server: its configured variables and a few harmless ones of ours, never our secrets. With
 * `inheritAll`, all of ours except those of Toolwharf itself, such as its master key.
 */
export function childEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  server: Readonly<Record<string, string>>,
  { inheritAll = false }: { readonly inheritAll?: boolean } = {},
): Record<string, string> {
  const environment: Record<string, string> = {};
  const names = inheritAll ? Object.keys(own).filter((name) => !name.startsWith('TOOLWHARF_')) : inherited;
  for (const name of names) {
    const value = own[name];
    // A value that starts with "()" is an exported shell function: code, not data.
    if (value !== undefined && !value.startsWith('()')) environment[name] = value;
  }
  return { ...environment, ...server };
}
