import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { gatewayDefaults } from '../../packages/contract/settings/defaults.ts';
import { createRoutes } from '../../packages/gateway/core/rest/create-routes.ts';
import { version } from '../../packages/toolwharf/kernel/version.ts';
import { root } from '../support/imports.ts';
import { openTestGateway } from '../support/open-gateway.ts';
import { loadWith, readDeployed } from './files.ts';

// biome-ignore lint/suspicious/noExplicitAny: the objects are checked below
type KubernetesObject = any;

const rendered = readFileSync(join(root, 'test/fixtures/deploy/rendered-chart.yaml'), 'utf8');
const objects: KubernetesObject[] = parseAllDocuments(rendered, { version: '1.1' }).map((document) => {
  expect(document.errors).toEqual([]);
  return document.toJS();
});

function find(kind: string): KubernetesObject {
  const found = objects.filter((object) => object.kind === kind);
  expect(found, kind).toHaveLength(1);
  return found[0];
}

const pod = () => find('Deployment').spec.template;
const container = () => pod().spec.containers[0];

test('the rendered chart in test/fixtures is the chart in deploy: run `npm run render-chart` after a change', () => {
  const script = join(root, 'scripts/render-chart.mjs');
  const digest = execFileSync(process.execPath, [script, '--digest'], { encoding: 'utf8' });
  expect(/sha256:(\w+)/.exec(rendered)?.[1]).toBe(digest);
});

describe('the Helm chart', () => {
  test('the Helm chart has the version of the package', () => {
    expect(parse(readDeployed('helm/toolwharf/Chart.yaml'))).toMatchObject({ version, appVersion: version });
  });

  test('the Helm chart creates each object with its API version, name and labels', () => {
    expect(objects.map(({ kind, apiVersion }) => `${apiVersion} ${kind}`).sort()).toEqual([
      'apps/v1 Deployment',
      'autoscaling/v2 HorizontalPodAutoscaler',
      'monitoring.coreos.com/v1 PodMonitor',
      'networking.k8s.io/v1 Ingress',
      'networking.k8s.io/v1 NetworkPolicy',
      'policy/v1 PodDisruptionBudget',
      'v1 ConfigMap',
      'v1 Service',
      'v1 ServiceAccount',
    ]);
    for (const { metadata } of objects) {
      expect(metadata.name).toBe('tools-toolwharf');
      expect(metadata.labels['app.kubernetes.io/instance']).toBe('tools');
    }
  });

  test('every selector selects the pods', () => {
    const { labels } = pod().metadata;
    const selectors = [
      find('Deployment').spec.selector.matchLabels,
      find('Service').spec.selector,
      find('PodDisruptionBudget').spec.selector.matchLabels,
      find('NetworkPolicy').spec.podSelector.matchLabels,
      find('PodMonitor').spec.selector.matchLabels,
    ];
    for (const selector of selectors) {
      expect(Object.keys(selector)).toHaveLength(2);
      expect(labels).toMatchObject(selector);
    }
  });

  test('the Helm chart runs without privileges on a read-only root', () => {
    expect(pod().spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(container().securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  test('every mounted volume exists, and every port by name is the port of the gateway', () => {
    const mounted = container().volumeMounts.map(({ name }: KubernetesObject) => name);
    expect(pod().spec.volumes.map(({ name }: KubernetesObject) => name)).toEqual(mounted);
    expect(container().ports).toEqual([{ name: 'http', containerPort: gatewayDefaults.port, protocol: 'TCP' }]);
    const named = [
      find('Service').spec.ports[0].targetPort,
      find('NetworkPolicy').spec.ingress[0].ports[0].port,
      find('Ingress').spec.rules[0].http.paths[0].backend.service.port.name,
      find('PodMonitor').spec.podMetricsEndpoints[0].port,
    ];
    expect(new Set(named)).toEqual(new Set(['http']));
  });

  test('secrets are references only', () => {
    const env: KubernetesObject[] = container().env;
    const secrets = env.filter(({ valueFrom }) => valueFrom?.secretKeyRef).map(({ name }) => name);
    expect(secrets).toEqual(['TOOLWHARF_KEY', 'TOOLWHARF__GATEWAY__DATABASE']);
    expect(objects.filter(({ kind }) => kind === 'Secret')).toEqual([]);
  });

  test('the configuration loads with the environment of the pods', () => {
    const env: Record<string, string> = { POD_IP: '10.1.2.3' };
    for (const { name, value } of container().env as KubernetesObject[])
      env[name] ??= value?.replace('$(POD_IP)', '10.1.2.3') ?? 'postgres://toolwharf@db:5432/toolwharf';
    const { gateway } = loadWith(env, find('ConfigMap').data['toolwharf.yaml']);
    const names = ['tools-toolwharf', 'tools-toolwharf.agents', 'tools-toolwharf.agents.svc'];
    expect(gateway.allowedHosts).toEqual(['tools.example.com', ...names, '10.1.2.3']);
    expect(gateway.database).toBe('postgres://toolwharf@db:5432/toolwharf');
    const [mount] = container().volumeMounts.filter(({ name }: KubernetesObject) => name === 'audit-key');
    expect(gateway.audit?.key).toBe(`${mount.mountPath}/audit.key`);
  });

  test('a pod has time to stop: the delay before SIGTERM and gateway.shutdown fit into the grace period', () => {
    const [command, seconds] = container().lifecycle.preStop.exec.command;
    expect(command).toBe('sleep');
    const needed = Number(seconds) + gatewayDefaults.shutdownMs / 1_000;
    expect(pod().spec.terminationGracePeriodSeconds).toBeGreaterThan(needed);
  });

  test('the gateway answers the probes, and has the metric that the autoscaler uses', async () => {
    await using gateway = await openTestGateway({ servers: {} }, { createRoutes });
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      const { path, port, httpHeaders } = container()[probe].httpGet;
      expect(port).toBe('http');
      expect(httpHeaders).toEqual([{ name: 'Host', value: 'localhost' }]);
      expect((await fetch(`${gateway.url}${path}`)).status).toBe(200);
    }
    const [{ type, pods }] = find('HorizontalPodAutoscaler').spec.metrics;
    expect(type).toBe('Pods');
    expect(pods.target).toEqual({ type: 'AverageValue', averageValue: '10' });
    const metrics = await (await fetch(`${gateway.url}${find('PodMonitor').spec.podMetricsEndpoints[0].path}`)).text();
    expect(metrics).toMatch(new RegExp(`^${pods.metric.name} \\d+$`, 'm'));
  });
});
