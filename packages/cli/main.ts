#!/usr/bin/env node
import { useCompileCache } from './core/compile-cache.ts';
import { explainOldNode } from './core/node-version.ts';

// Only these two modules are loaded statically: they run on an old Node, and before the first import of the code to be cached.
const problem = explainOldNode(process.versions.node, process.argv.slice(2), import.meta.url);
if (problem === undefined) {
  useCompileCache(process.env);
  const { runCommandLine } = await import('./run-command-line.ts');
  process.exit(await runCommandLine(process));
} else {
  console.error(problem);
  process.exitCode = 1;
}
