import { freeName } from '../free-name.ts';

/** What a server of the registry is called here: the last part of its name, or its publisher where that says nothing. */
export function registryName(name: string, taken: readonly string[]): string {
  const parts = name.split('/');
  const last = parts.at(-1) ?? '';
  const publisher = parts.at(-2)?.split('.').at(-1) ?? '';
  const isCommon = /^(?:mcp|server|mcp-server)$/i.test(last);
  return freeName((isCommon && publisher) || last, taken) || freeName('server', taken);
}
