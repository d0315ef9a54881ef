import { definePlugin } from '../../../toolwharf/plugins/plugin.ts';
import { sendUnauthorized } from '../../core/auth/admit-caller.ts';
import { hasRight } from '../../core/auth/identity.ts';
import type { Feature, FeatureCore, OpenFeature } from '../../core/feature.ts';
import { sendJson } from '../../core/mcp/responder.ts';
import type { Metrics } from './metrics.ts';
import { createTraces } from './traces.ts';

/** Metrics in Prometheus format, and traces for an OpenTelemetry collector. */
export const telemetry: Feature = {
  name: 'telemetry',
  servesOthers: true,
  start({ config, log }) {
    const { tracesUrl: url, tracesContent: content } = config().gateway;
    let metrics: Metrics | undefined;
    const counter = definePlugin({
      name: 'toolwharf.telemetry',
      exporter: {
        content: false,
        export(calls) {
          for (const call of calls) metrics?.countCall(call);
        },
      },
    });
    return {
      core: { traces: url === undefined ? undefined : createTraces({ url, log, content }) },
      plugins: [counter],
      async open(core) {
        metrics = await openMetrics(core);
        return serveMetrics(metrics, core);
      },
    };
  },
};

async function openMetrics(core: FeatureCore): Promise<Metrics> {
  const { toolbox, storage, calls, mcp, events, limits, fleet, replica } = core;
  const { createMetrics } = await import('./metrics.ts');
  const { approver } = calls;
  return createMetrics({ toolbox, approvals: storage.approvals, approver, mcp, events, limits, fleet, replica });
}

function serveMetrics(metrics: Metrics, { security }: FeatureCore): OpenFeature {
  return {
    async serve(request, response, { path, identity }) {
      if (path !== '/metrics') return false;
      if (!identity) sendUnauthorized(request, response, security.resource);
      else if (!hasRight(identity, 'tools.read') || identity.profile !== undefined) {
        const message =
          "Metrics name every server and tool: they need the permission 'tools.read' and a key without a profile";
        sendJson(response, 403, { error: { code: 'FORBIDDEN', message } });
      } else {
        const text = await metrics.read();
        response.writeHead(200, { 'content-type': metrics.contentType }).end(text);
      }
      return true;
    },
  };
}
