/** All transports. `auto` tries Streamable HTTP, then SSE. `api` is an HTTP API whose endpoints become tools. */
export const transports = ['stdio', 'http', 'sse', 'auto', 'api'] as const;

/** A transport that a configuration can name. */
export type TransportName = (typeof transports)[number];

/** Transports of servers that have a URL. */
export const urlTransports = transports.filter((transport) => transport !== 'stdio');

/** Transports of an established connection, after `auto` is resolved. */
export const connectedTransports = transports.filter((transport) => transport !== 'auto');

/** The transport of an open connection. */
export type ConnectedTransport = (typeof connectedTransports)[number];
