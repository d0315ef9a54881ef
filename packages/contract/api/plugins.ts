import { z } from 'zod';
import { answer, body } from './named.ts';

/** What a route of a plugin answers. The plugin describes it. */
export const pluginAnswerSchema = answer('PluginAnswer', z.looseObject({}));

/** What a route of a plugin takes. The plugin checks it. */
export const pluginBodySchema = body('PluginBody', z.unknown());
