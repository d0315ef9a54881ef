import type { CommandContext } from '../command-context.ts';
import type { OpenOptions } from './open-toolbox.ts';
import { selectGateway } from './select-gateway.ts';
import type { ToolAccess } from './tool-access.ts';

/** Opens the servers of the running gateway, or else of a toolbox in this process. */
export async function openTools(context: CommandContext, options: OpenOptions = {}): Promise<ToolAccess> {
  const gateway = await selectGateway(context);
  if (gateway) return (await import('./gateway-tools.ts')).openGatewayTools(gateway, context);
  return (await import('./local-tools.ts')).openLocalTools(context, options);
}
