import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { gatewayDefaults } from '../../packages/contract/settings/defaults.ts';
import { readSources, root } from '../support/imports.ts';
import { expectCommand, loadWith, readDeployed } from './files.ts';

const dockerfile = readDeployed('Dockerfile').replace(/\\\n/g, ' ');
const instructions = [...dockerfile.matchAll(/^([A-Z]+) (.+)$/gm)].map(([, name = '', text = '']) => ({ name, text }));
const ignored = readDeployed('Dockerfile.dockerignore').split('\n');

function textsOf(name: string): string[] {
  return instructions.filter((instruction) => instruction.name === name).map(({ text }) => text);
}

function lastOf(name: string): string {
  return textsOf(name).at(-1) ?? '';
}

describe('the Dockerfile', () => {
  test('the Dockerfile uses the Node version of the repository in every stage', () => {
    const version = readFileSync(join(root, '.node-version'), 'utf8').trim();
    expect(textsOf('ARG')).toEqual([`NODE_VERSION=${version}`]);
    for (const image of textsOf('FROM')) expect(image).toMatch(/^node:\$\{NODE_VERSION\}-/);
  });

  test('the Dockerfile copies files that exist and that the build context contains', () => {
    const fromContext = textsOf('COPY').filter((text) => !text.startsWith('--from='));
    const sources = fromContext.flatMap((text) => text.split(' ').slice(0, -1)).filter((source) => source !== '.');
    expect(sources.length).toBeGreaterThan(4);
    for (const source of sources) {
      expect(existsSync(join(root, source)), source).toBe(true);
      expect(ignored).toContain(`!${source.split('/')[0]}`);
    }
  });

  test('the build context contains the documents that the app imports and the pages of the documentation', () => {
    const imported = [...readSources('packages/web/src', ['.ts', '.tsx']).values()].flatMap((source) =>
      [...source.matchAll(/'(?:\.\.\/)+(docs\/[^'?]+)(?:\?raw)?'/g)].map(([, file]) => file),
    );
    expect(imported.length).toBeGreaterThan(0);
    expect(ignored).toEqual(expect.arrayContaining(['!docs', '!site', '!*.md']));
  });

  test('the Dockerfile runs scripts that exist, as a user without privileges, on the default port', () => {
    const scripts = [...dockerfile.matchAll(/node (scripts\/\S+\.mjs)/g)].map(([, script = '']) => script);
    expect(scripts).toHaveLength(2);
    for (const script of scripts) expect(existsSync(join(root, script)), script).toBe(true);
    expect(lastOf('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(lastOf('EXPOSE')).toBe(String(gatewayDefaults.port));
    expect(lastOf('HEALTHCHECK')).toContain(`http://127.0.0.1:${gatewayDefaults.port}/healthz`);
    expect(lastOf('ENV')).toContain('TOOLWHARF_DATA_DIR=/data');
    expectCommand(JSON.parse(lastOf('CMD')));
  });
});

describe('compose.yaml', () => {
  const compose = parse(readDeployed('compose/compose.yaml'), { merge: true });
  const services = Object.entries<ComposeService>(compose.services);
  const replicas = services.filter(([name]) => name.startsWith('gateway-'));

  test('every network, volume, configuration, secret and service that a service names is defined', () => {
    for (const [name, service] of services) {
      const named = {
        networks: service.networks,
        volumes: service.volumes?.map((volume) => volume.split(':')[0] ?? ''),
        configs: service.configs?.map(({ source }) => source),
        secrets: service.secrets,
        services: Object.keys(service.depends_on ?? {}),
      };
      for (const [kind, names] of Object.entries(named))
        expect(Object.keys(compose[kind]), `${kind} of ${name}`).toEqual(expect.arrayContaining(names ?? []));
    }
    expect(existsSync(join(root, 'deploy/compose', compose.configs.Caddyfile.file))).toBe(true);
  });

  test('compose.yaml runs two replicas, each with its own data directory, a read-only root and no capabilities', () => {
    expect(replicas).toHaveLength(2);
    for (const [name, service] of replicas) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], volumes: [`${name}:/data`] });
      expect(existsSync(join(root, 'deploy/compose', service.build.context, service.build.dockerfile))).toBe(true);
      expect(services.find(([other]) => other === 'proxy')?.[1].environment.GATEWAYS).toContain(
        `${name}:${gatewayDefaults.port}`,
      );
    }
  });

  test('compose.yaml gives the replicas an environment that the gateway understands', () => {
    for (const [, { environment }] of replicas) {
      expect(environment.TOOLWHARF_KEY).toMatch(/^\$\{TOOLWHARF_KEY:\?/);
      const env = mapValues(environment, substitute);
      const { gateway } = loadWith(env, readDeployed('compose/toolwharf.yaml'));
      expect(gateway).toMatchObject({
        database: 'postgres://toolwharf:POSTGRES_PASSWORD@postgres:5432/toolwharf',
        allowedHosts: ['localhost'],
        audit: { key: '/run/secrets/audit.key' },
        trustedProxies: [compose.networks.gateways.ipam.config[0].subnet],
      });
    }
  });
});

interface ComposeService {
  readonly build: { readonly context: string; readonly dockerfile: string };
  readonly environment: Record<string, string>;
  readonly networks?: string[];
  readonly volumes?: string[];
  readonly secrets?: string[];
  readonly configs?: { readonly source: string }[];
  readonly depends_on?: object;
}

/** Replaces `${NAME:-default}` by its default and `${NAME:?message}` by the name. */
function substitute(text: string): string {
  return text.replace(/\$\{(\w+):([-?])([^}]*)\}/g, (_, name, kind, rest) => (kind === '-' ? rest : name));
}

function mapValues(values: Record<string, string>, change: (text: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}
