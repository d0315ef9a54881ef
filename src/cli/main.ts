#!/usr/bin/env node
import { useCompileCache } from './compile-cache.ts';

// Before anything else is loaded.
useCompileCache(process.env);
const { runCommandLine } = await import('./run-command-line.ts');
await runCommandLine();
