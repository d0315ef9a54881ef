/**
 * Runs inside the sandbox before the script and defines its globals. Nothing in here protects the gateway: a script that
 * changes these globals only changes itself.
 */
export const guestPrelude = `(send, log, seed, start, input) => {
  'use strict';
  const { stringify, parse } = JSON;
  const { defineProperty, construct } = Reflect;
  const define = (name, value) => defineProperty(globalThis, name, { value, writable: true, configurable: true });
  let time = start;

  const HostDate = Date;
  function ScriptDate(...args) {
    if (!new.target) return new HostDate(time).toString();
    return construct(HostDate, args.length === 0 ? [time] : args, new.target);
  }
  ScriptDate.prototype = HostDate.prototype;
  HostDate.prototype.constructor = ScriptDate;
  ScriptDate.now = () => time;
  ScriptDate.parse = HostDate.parse;
  ScriptDate.UTC = HostDate.UTC;
  defineProperty(ScriptDate, 'name', { value: 'Date' });
  define('Date', ScriptDate);

  let state = seed;
  Math.random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  for (const name of ['performance', 'WeakRef', 'FinalizationRegistry', 'SharedArrayBuffer']) delete globalThis[name];

  class ToolError extends Error {}
  class OutcomeUnknown extends ToolError {}
  for (const type of [ToolError, OutcomeUnknown]) {
    defineProperty(type.prototype, 'name', { value: type.name, writable: true, configurable: true });
    define(type.name, type);
  }

  const pending = new Map();
  function call(kind, server, tool, args) {
    // Created here, so that its stack names the line of the call.
    const { stack } = new Error();
    const number = send(kind, server, tool, stringify(args) ?? 'null');
    return new Promise((resolve, reject) => pending.set(number, { resolve, reject, stack, server, tool }));
  }

  function settle(number, isOk, text, now) {
    const { resolve, reject, stack, server, tool } = pending.get(number);
    pending.delete(number);
    time = now;
    const value = parse(text);
    if (isOk) return resolve(value);
    const error = new (value.code === 'OUTCOME_UNKNOWN' ? OutcomeUnknown : ToolError)(value.message);
    for (const [name, known] of [['code', value.code], ['server', server], ['tool', tool], ['stack', stack]])
      defineProperty(error, name, { value: known, writable: true, configurable: true });
    reject(error);
  }

  const isName = (name) => typeof name === 'string' && name !== 'then';
  const members = (create) => new Proxy({}, { get: (_, name) => (isName(name) ? create(name) : undefined) });
  define('tools', members((server) => members((tool) => (args = {}) => call('tool', server, tool, args))));
  define('search', (query, options) => call('search', '', '', { query, ...options }));
  define('describe', (names) => call('describe', '', '', { names: typeof names === 'string' ? [names] : names }));
  define('readResult', (ref, options) => call('read', '', '', { ref: ref?.ref ?? ref, ...options }));
  define('input', parse(input));

  function show(value) {
    if (typeof value === 'string') return value;
    if (value instanceof Error) return \`\${value.name}: \${value.message}\`;
    try {
      return stringify(value) ?? String(value);
    } catch {
      return String(value);
    }
  }
  const print = (...values) => log(values.map(show).join(' '));
  define('console', { log: print, info: print, warn: print, error: print, debug: print });

  function explain(error) {
    if (!(error instanceof Error)) return { name: 'Error', message: show(error) };
    return { name: String(error.name), message: String(error.message), code: error.code, stack: String(error.stack) };
  }
  async function finish(promise, isCompletion) {
    try {
      const result = await promise;
      return stringify({ value: stringify(isCompletion ? await result.value : result) });
    } catch (error) {
      return stringify({ error: explain(error) });
    }
  }
  return { settle, finish, explain: (error) => stringify({ error: explain(error) }) };
}`;
