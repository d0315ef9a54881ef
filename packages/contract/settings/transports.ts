/** All transports. `auto` tries Streamable HTTP, then SSE. `api` is an HTTP API whose endpoints become tools. */
export const transports = ['stdio', 'http', 'sse', 'auto', 'api'] as const;

/** A transport that a configuration can name. */
export type TransportName = (typeof transports)[number];

/** Transports of servers that have a URL. */
export const urlTransports = transports.filter((transport) => transport !== 'stdio');

/** The transports that servers of any source can have: `plugin` for those that a plugin adds, in the file only. */
export const allTransports = [...transports, 'plugin'] as const;

/** A transport of a server. */
export type AnyTransport = (typeof allTransports)[number];

/** Transports of an established connection, after `auto` is resolved. */
export const connectedTransports = allTransports.filter((transport) => transport !== 'auto');

/** The transport of an open connection. */
export type ConnectedTransport = (typeof connectedTransports)[number];
