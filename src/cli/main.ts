#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { useCompileCache } from './compile-cache.ts';
import { explainOldNode } from './node-version.ts';

// Only these two modules are loaded statically: they run on an old Node, and before the first import of the code to be cached.
const problem = explainOldNode(process.versions.node, process.argv.slice(2), import.meta.url);
if (problem === undefined) {
  useCompileCache(process.env);
  // V8 begins with little space for new objects and doubles it with each collection. A start fills it many times, and most of its
  // objects stay in use, so that each collection copies them.
  setFlagsFromString('--semi-space-growth-factor=16');
  const { runCommandLine } = await import('./run-command-line.ts');
  process.exit(await runCommandLine(process));
} else {
  console.error(problem);
  process.exitCode = 1;
}
