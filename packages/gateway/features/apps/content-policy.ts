import { isObject } from '../../../contract/json.ts';
import { type AppSource, parseAppSource } from '../../../contract/settings/app-sources.ts';
import type { AppSources } from '../../core/http/frames.ts';

export interface GrantedSources {
  readonly granted: AppSources;
  /** The origins that the app asks for and does not get. */
  readonly refused: readonly string[];
}

const members = {
  connect: 'connectDomains',
  resource: 'resourceDomains',
  frame: 'frameDomains',
  baseUri: 'baseUriDomains',
} as const;

// The URL of the frame contains the sources.
const maxSources = 20;
const maxSourceLength = 100;

/** The origins that the app asks for (`_meta.ui.csp` of its resource) and that the administrator allows. */
export function grantSources(csp: unknown, allowed: readonly string[]): GrantedSources {
  const refused = new Set<string>();
  const allowedSources = allowed.flatMap((text) => parseAppSource(text) ?? []);

  function grant(member: string): readonly string[] {
    const requested = isObject(csp) && Array.isArray(csp[member]) ? csp[member].slice(0, maxSources) : [];
    const granted = requested.flatMap((text: unknown) => {
      if (typeof text !== 'string' || text.length > maxSourceLength) return [];
      const source = parseAppSource(text);
      const common = source ? allowedSources.flatMap((other) => intersect(source, other) ?? []) : [];
      if (common.length === 0) refused.add(text);
      return common.map(toText);
    });
    return [...new Set(granted)].slice(0, maxSources);
  }

  const granted = {
    connect: grant(members.connect),
    resource: grant(members.resource),
    frame: grant(members.frame),
    baseUri: grant(members.baseUri),
  };
  return { granted, refused: [...refused] };
}

/** The narrower of two sources, if one includes the other. */
function intersect(one: AppSource, other: AppSource): AppSource | undefined {
  if (one.scheme !== other.scheme || one.port !== other.port) return undefined;
  if (includesHost(one.host, other.host)) return other;
  return includesHost(other.host, one.host) ? one : undefined;
}

function includesHost(pattern: string, host: string): boolean {
  if (pattern === '*' || pattern === host) return true;
  return pattern.startsWith('*.') && host !== '*' && host.endsWith(pattern.slice(1));
}

function toText({ scheme, host, port }: AppSource): string {
  return `${scheme}://${host}${port === '' ? '' : `:${port}`}`;
}

/**
 * The Content-Security-Policy of a frame. `sandbox` without `allow-same-origin` gives the app an origin of its own that has no
 * storage and no cookies, also if someone opens the frame as a page.
 */
export function toFramePolicy({ connect, resource, frame, baseUri }: AppSources, ancestor: string): string {
  const directive = (name: string, ...sources: readonly string[]) =>
    `${name} ${sources.length === 0 ? "'none'" : sources.join(' ')}`;
  return [
    "default-src 'none'",
    directive('script-src', "'unsafe-inline'", ...resource),
    directive('style-src', "'unsafe-inline'", ...resource),
    directive('img-src', 'data:', 'blob:', ...resource),
    directive('font-src', 'data:', ...resource),
    directive('media-src', 'data:', 'blob:', ...resource),
    directive('connect-src', ...connect),
    directive('frame-src', ...frame),
    directive('base-uri', ...baseUri),
    "form-action 'none'",
    directive('frame-ancestors', ancestor),
    'sandbox allow-scripts allow-forms',
  ].join('; ');
}
