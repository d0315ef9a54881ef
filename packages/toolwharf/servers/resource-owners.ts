import { messageOf } from '../../contract/errors.ts';
import { isObject } from '../../contract/json.ts';
import { hashOf } from '../kernel/canonical-json.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { isBroadTemplate, matchTemplate, namesOnlyScheme, schemeOf } from './uri-templates.ts';

/** Stores which server claimed which URIs, as one text. */
export interface ResourceOwnerStore {
  load(): Promise<string | undefined>;
  save(text: string): Promise<void>;
}

/**
 * Which server a resource URI belongs to. Servers choose their URIs freely: the server that first listed a URI, or a template that
 * matches it, owns it, and a later server cannot take it. Of servers that claim a URI while the toolbox starts, the one that is
 * configured first owns it. In a scheme that servers share, such as `https`, a template for all of it claims only what no other
 * server does. In any other scheme, every expression of a template stands for any text, because servers often mean that, and only the
 * server that first used the scheme can claim all of it: it owns what no server claims.
 */
export interface ResourceOwners {
  /** Reads the claims of earlier runs. */
  load(): Promise<void>;
  /** Records what a server lists. */
  claim(server: string, kind: ClaimKind, texts: readonly string[]): void;
  /** Forgets a server that is no longer configured. */
  release(server: string): void;
  /** The server, one of these in the order of the configuration, that owns the URI; undefined if none of them claimed it. */
  find(uri: string, servers: readonly string[]): string | undefined;
  /** The server, one of these, that first listed the template. */
  findTemplate(uriTemplate: string, servers: readonly string[]): string | undefined;
  /** Finishes pending writes. */
  flush(): Promise<void>;
}

export type ClaimKind = 'uris' | 'templates';

export interface ResourceOwnersOptions {
  /** Claims are lost with the process if undefined. */
  readonly store?: ResourceOwnerStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

/** The time of each claim of a server: of URIs by their hash, of templates by their text, and of the schemes of both. */
type Claims = Readonly<Record<ClaimKind | 'schemes', Map<string, number>>>;

interface Found {
  readonly server: string;
  readonly at: number;
}

/** Schemes whose URIs no server chooses freely. */
const sharedSchemes: ReadonlySet<string> = new Set([
  ...['http', 'https', 'file', 'ftp', 'ftps', 'sftp', 'ssh', 'git', 'data', 'urn', 'tag', 'mailto', 'ws', 'wss'],
  ...['ui', 'skill'],
]);

/** Servers need some time to start. Among their first lists the order of the configuration decides. */
const startMs = 120_000;
const maxClaims: Readonly<Record<keyof Claims, number>> = { uris: 20_000, templates: 200, schemes: 200 };

export function createResourceOwners({ store, clock, log }: ResourceOwnersOptions): ResourceOwners {
  const claims = new Map<string, Claims>();
  const startedAt = clock.now();
  let saving: Promise<void> | undefined;
  let isChanged = false;

  function claimsOf(server: string): Claims {
    const known = claims.get(server) ?? { uris: new Map(), templates: new Map(), schemes: new Map() };
    claims.set(server, known);
    return known;
  }

  function changed(): void {
    isChanged = true;
    saving ??= save().finally(() => {
      saving = undefined;
    });
  }

  async function save(): Promise<void> {
    // Lists of several servers often arrive together.
    await Promise.resolve();
    while (isChanged && store) {
      isChanged = false;
      try {
        await store.save(
          JSON.stringify(Object.fromEntries([...claims].map(([server, own]) => [server, toEntries(own)]))),
        );
      } catch (cause) {
        log.warning('resources.owners-not-saved', `The owners of resource URIs were not saved: ${messageOf(cause)}`);
        return;
      }
    }
  }

  /** The earliest claim; of several at one time, that of the server that is configured first. */
  function earliest(servers: readonly string[], claimedAt: (own: Claims) => number | undefined): Found | undefined {
    let found: Found | undefined;
    for (const server of servers) {
      const own = claims.get(server);
      const at = own && claimedAt(own);
      if (at !== undefined && (found === undefined || at < found.at)) found = { server, at };
    }
    return found;
  }

  /** `isLast`: only templates that claim no more than what no other server does. */
  function claimedByTemplate(
    { templates }: Claims,
    uri: string,
    isLast: boolean,
    mayOwnAll = false,
  ): number | undefined {
    let first: number | undefined;
    for (const [template, at] of templates) {
      const scheme = ownScheme(template);
      const isWhole = scheme === undefined ? isBroadTemplate(template) : namesOnlyScheme(template) && !mayOwnAll;
      if (first !== undefined && at >= first) continue;
      if (isWhole === isLast && matchTemplate(template, uri, scheme !== undefined)) first = at;
    }
    return first;
  }

  /** The server that first used a scheme; undefined for a scheme that servers share. */
  function ownerOfScheme(text: string, servers: readonly string[]): string | undefined {
    const scheme = ownScheme(text);
    return scheme === undefined ? undefined : earliest(servers, ({ schemes }) => schemes.get(scheme))?.server;
  }

  /** Records new claims of one kind. Older ones that are no longer listed make room for them. */
  function add(own: Map<string, number>, keys: readonly string[], max: number): void {
    const now = clock.now();
    const at = now - startedAt < startMs ? startedAt : now;
    const added = keys.filter((key) => !own.has(key));
    if (added.length === 0) return;
    const listed = new Set(keys);
    for (const key of own.keys()) {
      if (own.size + added.length <= max) break;
      if (!listed.has(key)) own.delete(key);
    }
    for (const key of added.slice(0, Math.max(0, max - own.size))) own.set(key, at);
    changed();
  }

  return {
    async load() {
      const text = await store?.load();
      if (text === undefined) return;
      for (const [server, own] of Object.entries(JSON.parse(text) as object)) claims.set(server, toClaims(own));
    },
    claim(server, kind, texts) {
      const own = claimsOf(server);
      add(own[kind], kind === 'uris' ? texts.map(keyOf) : texts, maxClaims[kind]);
      const schemes = new Set(texts.flatMap((text) => ownScheme(text) ?? []));
      // A scheme stays that of its server, whatever the server lists now.
      add(own.schemes, [...own.schemes.keys(), ...schemes], maxClaims.schemes);
    },
    release(server) {
      if (claims.delete(server)) changed();
    },
    find(uri, servers) {
      const key = keyOf(uri);
      const main = ownerOfScheme(uri, servers);
      const specific = earliest(servers, (own) =>
        least(own.uris.get(key), claimedByTemplate(own, uri, false, own === claims.get(main ?? ''))),
      );
      return specific?.server ?? main ?? earliest(servers, (own) => claimedByTemplate(own, uri, true))?.server;
    },
    findTemplate(uriTemplate, servers) {
      const first = earliest(servers, ({ templates }) => templates.get(uriTemplate))?.server;
      return (namesOnlyScheme(uriTemplate) ? ownerOfScheme(uriTemplate, servers) : undefined) ?? first;
    },
    flush: async () => saving,
  };
}

/** The scheme of a URI or template, unless servers share it. */
function ownScheme(text: string): string | undefined {
  const scheme = schemeOf(text);
  return scheme === undefined || sharedSchemes.has(scheme) ? undefined : scheme;
}

/** URIs may be long or contain private names. */
function keyOf(uri: string): string {
  return hashOf(uri).slice(0, 24);
}

function least(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}

function toEntries({ uris, templates, schemes }: Claims): object {
  return { uris: [...uris], templates: [...templates], schemes: [...schemes] };
}

function toClaims(stored: unknown): Claims {
  const entriesOf = (value: unknown) => new Map<string, number>(Array.isArray(value) ? value : []);
  const { uris, templates, schemes } = isObject(stored) ? stored : {};
  return { uris: entriesOf(uris), templates: entriesOf(templates), schemes: entriesOf(schemes) };
}
