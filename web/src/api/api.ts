import { createApi } from './client.ts';

/** The gateway that this page came from. */
export const api = createApi();
