#!/usr/bin/env node
import { useCompileCache } from './compile-cache.ts';

// Must precede the first import of the code to be cached.
useCompileCache(process.env);
const { runCommandLine } = await import('./run-command-line.ts');
await runCommandLine();
