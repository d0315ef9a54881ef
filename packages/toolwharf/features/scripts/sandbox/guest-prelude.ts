/**
 * Runs inside the sandbox before the script and defines its globals. Nothing in here protects the gateway: a script that
 * changes these globals only changes itself.
 */
export const guestPrelude: string = `(send, log, ask, seed, start, input, catalog, bigIntMark) => {
  'use strict';
  const { stringify, parse } = JSON;
  const { defineProperty, construct, ownKeys } = Reflect;
  const define = (name, value) => defineProperty(globalThis, name, { value, writable: true, configurable: true });
  // Integers that numbers cannot hold are BigInts, and marked texts on the way.
  const fromMark = (_name, value) =>
    typeof value === 'string' && value.startsWith(bigIntMark) ? BigInt(value.slice(bigIntMark.length)) : value;
  const read = (text) => (text.includes(bigIntMark) ? parse(text, fromMark) : parse(text));
  const write = (value) => stringify(value, (_name, member) => (typeof member === 'bigint' ? bigIntMark + member : member));
  const marked = new RegExp('"' + bigIntMark + '(-?[0-9]+)"', 'g');
  const asked = (what, ...args) => {
    const { value, error } = parse(ask(stringify([what, ...args])));
    if (error !== undefined) throw new (error.name === 'RangeError' ? RangeError : TypeError)(error.message);
    return value;
  };
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
  for (const name of ['WeakRef', 'FinalizationRegistry', 'SharedArrayBuffer']) delete globalThis[name];

  define('performance', { timeOrigin: start, now: () => time - start, mark() {}, measure() {} });

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
    const number = send(kind, server, tool, write(args) ?? 'null');
    return new Promise((resolve, reject) => pending.set(number, { resolve, reject, stack, server, tool }));
  }

  function settle(number, isOk, text, now) {
    const known = pending.get(number);
    time = now;
    // A timer that was cleared.
    if (!known) return;
    const { resolve, reject, stack, server, tool } = known;
    pending.delete(number);
    const value = read(text);
    if (isOk) return resolve(value);
    const error = new (value.code === 'OUTCOME_UNKNOWN' ? OutcomeUnknown : ToolError)(value.message);
    for (const [name, known] of [['code', value.code], ['server', server], ['tool', tool], ['stack', stack]])
      defineProperty(error, name, { value: known, writable: true, configurable: true });
    reject(error);
  }

  /** A member can be read, called and listed, whatever its name: only the host knows the tools. */
  const isName = (name) => typeof name === 'string' && name !== 'then' && name !== 'toJSON';
  const members = (run, names, create) => new Proxy(run, {
    get: (_, name) => (isName(name) ? create(name) : undefined),
    has: (_, name) => names().includes(name),
    ownKeys: names,
    getOwnPropertyDescriptor: (_, name) =>
      names().includes(name) ? { value: create(name), enumerable: true, configurable: true } : undefined,
  });
  const { tools: listed } = parse(catalog);
  const list = (names) => () => {
    if (!listed) throw new Error('There are too many tools to list. Find tools with search(query)');
    return names(listed);
  };
  const none = () => [];
  const callTool = (server, tool) => members((args = {}) => call('tool', server, tool, args), none, (name) =>
    // tools.server.group.tool is the tool "group.tool" of the server.
    callTool(server, tool + '.' + name));
  const callServer = (server) => members(
    (args = {}) => call('tool', '', server, args),
    list((all) => (Object.hasOwn(all, server) ? all[server] : [])),
    (tool) => callTool(server, tool),
  );
  define('tools', members(
    () => { throw new TypeError('tools is not a function: call tools.SERVER.TOOL({ ... })'); },
    list((all) => Object.keys(all)),
    callServer,
  ));
  define('search', (query, options) => call('search', '', '', { query, ...options }));
  define('describe', (names) => call('describe', '', '', { names: typeof names === 'string' ? [names] : names }));
  define('readResult', (ref, options) => call('read', '', '', { ref: ref?.ref ?? ref, ...options }));
  define('input', read(input));

  const timers = new Map();
  let lastTimer = 0;
  const toDelay = (ms) => Math.min(Math.max(0, Math.ceil(Number(ms)) || 0), 2147483647);
  function startTimer(id, callback, ms, isRepeated) {
    const number = send('sleep', '', '', stringify({ ms: toDelay(ms) }));
    timers.set(id, number);
    const { stack } = new Error();
    const run = () => {
      if (timers.get(id) !== number) return;
      if (!isRepeated) timers.delete(id);
      try {
        callback();
      } finally {
        if (timers.get(id) === number) startTimer(id, callback, ms, true);
      }
    };
    pending.set(number, { resolve: run, reject: run, stack, server: '', tool: '' });
    return id;
  }
  const addTimer = (callback, ms, args, isRepeated) => {
    if (typeof callback !== 'function') throw new TypeError('The first argument of a timer must be a function');
    return startTimer(++lastTimer, () => callback(...args), ms, isRepeated);
  };
  const clearTimer = (id) => {
    const number = timers.get(id);
    if (number === undefined) return;
    timers.delete(id);
    pending.delete(number);
    send('clear', '', '', stringify(number));
  };
  define('sleep', (ms) => call('sleep', '', '', { ms: toDelay(ms) }).then(() => undefined));
  define('setTimeout', (callback, ms, ...args) => addTimer(callback, ms, args, false));
  define('setInterval', (callback, ms, ...args) => addTimer(callback, Math.max(1, toDelay(ms)), args, true));
  define('setImmediate', (callback, ...args) => addTimer(callback, 0, args, false));
  for (const name of ['clearTimeout', 'clearInterval', 'clearImmediate']) define(name, clearTimer);

  let uuids = 0;
  define('crypto', {
    randomUUID: () => asked('uuid', ++uuids),
    getRandomValues(array) {
      const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
      for (let at = 0; at < bytes.length; at++) bytes[at] = Math.floor(Math.random() * 256);
      return array;
    },
  });

  class DataCloneError extends Error { get name() { return 'DataCloneError'; } }
  function structuredClone(value) {
    const seen = new Map();
    const clone = (part) => {
      if (typeof part === 'function' || typeof part === 'symbol') throw new DataCloneError(String(part) + ' could not be cloned');
      if (typeof part !== 'object' || part === null) return part;
      if (seen.has(part)) return seen.get(part);
      const keep = (copy) => { seen.set(part, copy); return copy; };
      if (part instanceof HostDate) return keep(new HostDate(part.getTime()));
      if (part instanceof RegExp) return keep(new RegExp(part.source, part.flags));
      if (part instanceof ArrayBuffer) return keep(part.slice(0));
      if (ArrayBuffer.isView(part)) {
        const buffer = clone(part.buffer);
        return keep(part instanceof DataView
          ? new DataView(buffer, part.byteOffset, part.byteLength)
          : new part.constructor(buffer, part.byteOffset, part.length));
      }
      if (part instanceof Map) {
        const copy = keep(new Map());
        for (const [key, item] of part) copy.set(clone(key), clone(item));
        return copy;
      }
      if (part instanceof Set) {
        const copy = keep(new Set());
        for (const item of part) copy.add(clone(item));
        return copy;
      }
      if (part instanceof Error) {
        const copy = keep(new Error(part.message));
        for (const name of ['name', 'stack', 'cause']) if (name in part)
          defineProperty(copy, name, { value: name === 'cause' ? clone(part.cause) : part[name], writable: true, configurable: true });
        return copy;
      }
      if (part instanceof Promise || part instanceof WeakMap || part instanceof WeakSet)
        throw new DataCloneError('#<' + part.constructor.name + '> could not be cloned');
      const copy = keep(Array.isArray(part) ? new Array(part.length) : {});
      for (const key of Object.keys(part)) defineProperty(copy, key, { value: clone(part[key]), writable: true, enumerable: true, configurable: true });
      return copy;
    };
    return clone(value);
  }
  define('structuredClone', structuredClone);

  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  define('btoa', (text) => {
    const binary = String(text);
    let result = '';
    for (let at = 0; at < binary.length; at += 3) {
      const codes = [0, 1, 2].map((next) => binary.charCodeAt(at + next) || 0);
      if (codes.some((code) => code > 255)) throw new TypeError('btoa: the text has characters outside of Latin-1. Encode it with TextEncoder first');
      const bits = (codes[0] << 16) | (codes[1] << 8) | codes[2];
      const left = binary.length - at;
      result += alphabet[bits >> 18] + alphabet[(bits >> 12) & 63];
      result += (left > 1 ? alphabet[(bits >> 6) & 63] : '=') + (left > 2 ? alphabet[bits & 63] : '=');
    }
    return result;
  });
  define('atob', (text) => {
    const clean = String(text).replace(/[\\t\\n\\f\\r ]/g, '').replace(/={1,2}$/, '');
    if (clean.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(clean)) throw new TypeError('atob: the text is not base64');
    let result = '';
    for (let at = 0, bits = 0, count = 0; at < clean.length; at++) {
      bits = (bits << 6) | alphabet.indexOf(clean[at]);
      count += 6;
      if (count >= 8) {
        count -= 8;
        result += String.fromCharCode((bits >> count) & 255);
        bits &= (1 << count) - 1;
      }
    }
    return result;
  });

  class TextEncoder {
    get encoding() { return 'utf-8'; }
    encode(text = '') {
      const bytes = [];
      for (const character of String(text).toWellFormed()) {
        const code = character.codePointAt(0);
        if (code < 0x80) bytes.push(code);
        else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 63));
        else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
        else bytes.push(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
      }
      return new Uint8Array(bytes);
    }
  }
  class TextDecoder {
    #isFatal;
    #keepsMark;
    constructor(label = 'utf-8', { fatal = false, ignoreBOM = false } = {}) {
      if (!/^(unicode-1-1-)?utf-?8$/i.test(String(label).trim())) throw new RangeError('Scripts decode only UTF-8, not ' + label);
      this.#isFatal = fatal;
      this.#keepsMark = ignoreBOM;
    }
    get encoding() { return 'utf-8'; }
    decode(input = new Uint8Array()) {
      const bytes = ArrayBuffer.isView(input)
        ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
        : new Uint8Array(input);
      let text = '';
      for (let at = 0; at < bytes.length; ) {
        const first = bytes[at++];
        if (first < 0x80) { text += String.fromCharCode(first); continue; }
        const more = first >= 0xc2 && first < 0xe0 ? 1 : first >= 0xe0 && first < 0xf0 ? 2 : first >= 0xf0 && first < 0xf5 ? 3 : 0;
        let code = more === 1 ? first & 31 : more === 2 ? first & 15 : first & 7;
        let read = 0;
        for (; read < more && at < bytes.length; read++) {
          const next = bytes[at];
          const low = read > 0 ? 0x80 : first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
          const high = read > 0 ? 0xbf : first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
          if (next < low || next > high) break;
          code = (code << 6) | (next & 63);
          at++;
        }
        if (more === 0 || read < more) {
          if (this.#isFatal) throw new TypeError('The bytes are not valid UTF-8');
          text += '\\ufffd';
        } else text += String.fromCodePoint(code);
      }
      return !this.#keepsMark && text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
    }
  }
  define('TextEncoder', TextEncoder);
  define('TextDecoder', TextDecoder);

  const escapeForm = (text) => encodeURIComponent(text.toWellFormed())
    .replace(/[!'()~]/g, (one) => '%' + one.charCodeAt(0).toString(16).toUpperCase()).replace(/%20/g, '+');
  const unescapeForm = (text) => {
    const spaced = text.replace(/\\+/g, ' ');
    const bytes = [];
    for (const piece of spaced.match(/%[0-9a-f]{2}|[^%]+|%/gi) ?? []) {
      if (/^%[0-9a-f]{2}$/i.test(piece)) bytes.push(parseInt(piece.slice(1), 16));
      else bytes.push(...new TextEncoder().encode(piece));
    }
    return new TextDecoder().decode(new Uint8Array(bytes));
  };
  class URLSearchParams {
    #pairs = [];
    #changed = () => {};
    constructor(init = '', changed) {
      if (changed) this.#changed = changed;
      if (typeof init === 'object' && init !== null && Symbol.iterator in init)
        for (const pair of init) this.#pairs.push([String(pair[0]).toWellFormed(), String(pair[1]).toWellFormed()]);
      else if (typeof init === 'object' && init !== null)
        for (const key of Object.keys(init)) this.#pairs.push([key.toWellFormed(), String(init[key]).toWellFormed()]);
      else for (const part of String(init).replace(/^\\?/, '').split('&')) {
        if (part === '') continue;
        const at = part.indexOf('=');
        this.#pairs.push(at < 0 ? [unescapeForm(part), ''] : [unescapeForm(part.slice(0, at)), unescapeForm(part.slice(at + 1))]);
      }
    }
    get size() { return this.#pairs.length; }
    append(name, value) { this.#pairs.push([String(name), String(value)]); this.#changed(this.toString()); }
    delete(name, value) {
      this.#pairs = this.#pairs.filter((pair) => pair[0] !== String(name) || (value !== undefined && pair[1] !== String(value)));
      this.#changed(this.toString());
    }
    get(name) { return this.#pairs.find((pair) => pair[0] === String(name))?.[1] ?? null; }
    getAll(name) { return this.#pairs.filter((pair) => pair[0] === String(name)).map((pair) => pair[1]); }
    has(name, value) {
      return this.#pairs.some((pair) => pair[0] === String(name) && (value === undefined || pair[1] === String(value)));
    }
    set(name, value) {
      const first = this.#pairs.find((pair) => pair[0] === String(name));
      if (first) {
        first[1] = String(value);
        this.#pairs = this.#pairs.filter((pair) => pair === first || pair[0] !== String(name));
      } else this.#pairs.push([String(name), String(value)]);
      this.#changed(this.toString());
    }
    sort() {
      this.#pairs.sort((one, other) => (one[0] < other[0] ? -1 : one[0] > other[0] ? 1 : 0));
      this.#changed(this.toString());
    }
    forEach(callback, self) { for (const [name, value] of this) callback.call(self, value, name, this); }
    *entries() { for (const [name, value] of this.#pairs) yield [name, value]; }
    *keys() { for (const pair of this.#pairs) yield pair[0]; }
    *values() { for (const pair of this.#pairs) yield pair[1]; }
    [Symbol.iterator]() { return this.entries(); }
    toString() { return this.#pairs.map(([name, value]) => escapeForm(name) + '=' + escapeForm(value)).join('&'); }
  }
  define('URLSearchParams', URLSearchParams);
  class URL {
    #parts;
    #params;
    constructor(address, base) {
      this.#parts = asked('url', String(address), base === undefined ? undefined : String(base));
    }
    static canParse(address, base) {
      try { return new URL(address, base) instanceof URL; } catch { return false; }
    }
    static parse(address, base) {
      try { return new URL(address, base); } catch { return null; }
    }
    get origin() { return this.#parts.origin; }
    get searchParams() {
      this.#params ??= new URLSearchParams(this.#parts.search, (search) => {
        this.#parts = asked('url', this.#parts.href, undefined, 'search', search);
      });
      return this.#params;
    }
    toString() { return this.#parts.href; }
    toJSON() { return this.#parts.href; }
    static {
      for (const name of ['href', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash'])
        defineProperty(URL.prototype, name, {
          get() { return this.#parts[name]; },
          set(value) {
            this.#parts = asked('url', this.#parts.href, undefined, name, String(value));
            if (name === 'href' || name === 'search') this.#params = undefined;
          },
          enumerable: true,
          configurable: true,
        });
    }
  }
  define('URL', URL);

  const plain = (value) => value instanceof HostDate ? value.getTime()
    : typeof value === 'bigint' ? { bigint: String(value) }
    : typeof value === 'number' && !Number.isFinite(value) ? { number: String(value) } : value;
  const Intl = {};
  const format = (type, locales, options, method, ...args) => asked('intl', type, locales, options, method, args.map(plain));
  for (const [type, methods] of Object.entries(asked('intl-types'))) {
    const Formatter = { [type]: class {
      constructor(locales, options) {
        // Fails here, as it does elsewhere, and not with the first use.
        format(type, locales, options, 'resolvedOptions');
        for (const method of methods) defineProperty(this, method, { value: (...args) => {
          if (type === 'DateTimeFormat' && method !== 'resolvedOptions' && args[0] === undefined) args[0] = time;
          if (method === 'format' && type === 'ListFormat') args[0] = [...args[0]];
          return format(type, locales, options, method, ...args);
        } });
      }
      static supportedLocalesOf(locales) { return format(type, locales, undefined, 'supportedLocalesOf'); }
    } }[type];
    Intl[type] = new Proxy(Formatter, { apply: (_, __, args) => new Formatter(...args) });
  }
  define('Intl', new Proxy(Intl, {
    get(known, name) {
      if (typeof name !== 'string' || name in known) return known[name];
      throw new Error('Intl.' + name + ' does not exist in scripts. There are ' + Object.keys(known).map((one) => 'Intl.' + one).join(', '));
    },
  }));
  const localize = (target, name, type, defaults) => defineProperty(target, name, {
    value(locales, options) {
      const value = this instanceof HostDate ? this.getTime() : this.valueOf();
      if (type === 'DateTimeFormat' && Number.isNaN(value)) return 'Invalid Date';
      return format(type, locales, { ...defaults?.(options ?? {}), ...options }, 'format', value);
    },
    writable: true,
    configurable: true,
  });
  localize(Number.prototype, 'toLocaleString', 'NumberFormat');
  localize(BigInt.prototype, 'toLocaleString', 'NumberFormat');
  const parts = ['dateStyle', 'timeStyle', 'weekday', 'year', 'month', 'day', 'dayPeriod', 'hour', 'minute', 'second', 'fractionalSecondDigits'];
  const unlessChosen = (defaults) => (options) => parts.some((part) => options[part] !== undefined) ? {} : defaults;
  const [date, clock] = [{ year: 'numeric', month: 'numeric', day: 'numeric' }, { hour: 'numeric', minute: 'numeric', second: 'numeric' }];
  localize(HostDate.prototype, 'toLocaleString', 'DateTimeFormat', unlessChosen({ ...date, ...clock }));
  localize(HostDate.prototype, 'toLocaleDateString', 'DateTimeFormat', unlessChosen(date));
  localize(HostDate.prototype, 'toLocaleTimeString', 'DateTimeFormat', unlessChosen(clock));
  defineProperty(String.prototype, 'localeCompare', {
    value(other, locales, options) { return format('Collator', locales, options, 'compare', String(this), String(other)); },
    writable: true,
    configurable: true,
  });

  function show(value) {
    if (typeof value === 'string') return value;
    if (value instanceof Error) return \`\${value.name}: \${value.message}\`;
    try {
      return write(value)?.replaceAll(marked, '$1') ?? String(value);
    } catch {
      return String(value);
    }
  }
  const print = (...values) => log(values.map(show).join(' '));
  const watches = new Map();
  const showTime = (label = 'default') => print(label + ': ' + (time - (watches.get(label) ?? time)) + ' ms');
  define('console', {
    ...Object.fromEntries(['log', 'info', 'warn', 'error', 'debug', 'table', 'dir', 'trace', 'group'].map((name) => [name, print])),
    groupEnd() {},
    assert(isTrue, ...values) { if (!isTrue) print('Assertion failed:', ...values); },
    time(label = 'default') { watches.set(label, time); },
    timeLog: showTime,
    timeEnd: showTime,
  });

  function explain(error) {
    if (!(error instanceof Error)) return { name: 'Error', message: show(error) };
    return { name: String(error.name), message: String(error.message), code: error.code, stack: String(error.stack) };
  }
  async function finish(promise, isCompletion) {
    try {
      const result = await promise;
      return stringify({ value: write(isCompletion ? await result.value : result) });
    } catch (error) {
      return stringify({ error: explain(error) });
    }
  }
  return { settle, finish, explain: (error) => stringify({ error: explain(error) }) };
}`;
