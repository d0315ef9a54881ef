import type { IncomingMessage, ServerResponse } from 'node:http';

/** Serves the frames of apps on an origin of their own, where nothing else is served. */
export interface AppFrames {
  /** True if the request was for the origin of the frames, and has been answered. */
  serve(request: IncomingMessage, response: ServerResponse): boolean;
  /**
   * The source of frames in the Content-Security-Policy of a page of this gateway; undefined if the page cannot show apps.
   * Without a scheme, that of the page applies.
   */
  sourceFor(page: IncomingMessage): string | undefined;
  /** The URL of a frame for a page of this gateway; undefined if the page cannot show apps. */
  urlFor(page: IncomingMessage, sources: AppSources): string | undefined;
}

/** The origins that an app may use, by purpose. */
export interface AppSources {
  /** For requests of its scripts. */
  readonly connect: readonly string[];
  /** For scripts, styles, images, fonts and media. */
  readonly resource: readonly string[];
  /** For frames inside of it. */
  readonly frame: readonly string[];
  readonly baseUri: readonly string[];
}

/** No page can show apps. */
export const noFrames: AppFrames = { serve: () => false, sourceFor: () => undefined, urlFor: () => undefined };
