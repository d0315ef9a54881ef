import type { CommandContext } from '../command-context.ts';
import type { GatewayClient } from './gateway-client.ts';
import type { OpenOptions } from './open-toolbox.ts';
import { selectGateway } from './select-gateway.ts';
import type { ToolAccess } from './tool-access.ts';

/** Opens the servers of the running gateway, or else of a toolbox in this process. */
export async function openTools(context: CommandContext, options: OpenOptions = {}): Promise<ToolAccess> {
  return openToolsOf(await selectGateway(context), context, options);
}

/** Opens the servers of this gateway, or of a toolbox in this process if there is none. */
export async function openToolsOf(
  gateway: GatewayClient | undefined,
  context: CommandContext,
  options: OpenOptions = {},
): Promise<ToolAccess> {
  if (gateway) return (await import('./gateway-tools.ts')).openGatewayTools(gateway, context);
  return (await import('./local-tools.ts')).openLocalTools(context, options);
}
