import { createApi } from './client.ts';

/** The API of the gateway that served this page. */
export const api = createApi();
