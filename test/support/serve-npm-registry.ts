import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { createGzip } from 'node:zlib';
import { dependencyClosure, type Manifest } from './installed.ts';
import { type ServedApi, sendJson, serveHttpApi } from './serve-http-api.ts';

/** An npm registry on loopback that has the given packages and their dependencies, from the node_modules of the repository. */
export function serveNpmRegistry(packages: readonly string[]): Promise<ServedApi> {
  const dependencies = Object.fromEntries(packages.map((name) => [name, '*']));
  const published = [...dependencyClosure({ dependencies })].map((directory) => ({
    directory,
    manifest: JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest,
  }));
  return serveHttpApi({
    answer({ path, headers }, response) {
      const [name = '', version] = decodeURIComponent(path.slice(1)).split('/-/');
      const versions = published.filter(({ manifest }) => manifest.name === name);
      const found = versions.find(({ manifest }) => manifest.version === version);
      if (found) return sendTarball(response, found.directory);
      if (versions.length === 0) return sendJson(response, { error: 'not found' }, 404);
      const entries = versions.map(({ manifest }) => {
        const { devDependencies: _, scripts: __, ...rest } = manifest as Manifest & { readonly scripts?: unknown };
        const tarball = `http://${headers.host}/${name}/-/${manifest.version}`;
        return [manifest.version, { ...rest, dist: { tarball } }] as const;
      });
      sendJson(response, { name, 'dist-tags': { latest: entries[0]?.[0] }, versions: Object.fromEntries(entries) });
    },
  });
}

function sendTarball(response: ServerResponse, directory: string): void {
  const args = ['c', '--exclude=node_modules', '--exclude=*.map', '--transform=s,^\\.,package,', '-C', directory, '.'];
  const tar = spawn('tar', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  // The archives do not leave this machine: compressing them well would take longer than all else that npm does.
  tar.stdout.pipe(createGzip({ level: 0 })).pipe(response);
}
