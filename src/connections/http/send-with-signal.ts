import type { Transport } from '@modelcontextprotocol/client';
import type { ChannelSendOptions } from '../channel.ts';

/** Has the transport's own requests end by the signal that the SDK knows, made for each of them. Changes the transport. */
export function sendWithSignal<Kind extends Transport>(transport: Kind): Kind {
  const send = transport.send.bind(transport);
  transport.send = (message, options: ChannelSendOptions = {}) => {
    const { toSignal } = options;
    return send(message, toSignal ? { ...options, requestSignal: toSignal() } : options);
  };
  return transport;
}
