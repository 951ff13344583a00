import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join, resolve } from 'node:path';
import { type Finding, failure, ok, warning } from '../doctor/finding.ts';
import type { Lifetime } from '../lifetime.ts';
import { print, say } from '../output.ts';
import { groupOf, readProcessState } from '../processes/state.ts';
import { services } from '../services.ts';
import { runRelease } from './apply/child.ts';
import { type ApplyContext, openContext } from './apply/context.ts';
import { journals } from './apply/journal.ts';
import { servingFolder } from './current.ts';
import { type PluginList, unexpectedChanges } from './plugin-diff.ts';
import type { Probe } from './probe-report.ts';
import type { ReleaseOptions } from './source.ts';

/** Health of each running service. */
export async function checkHealth(dataDir: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name, health } of services) {
    const state = readProcessState(dataDir, groupOf(name));
    if (!state) continue;
    if (health === undefined || state.port === 0) {
      findings.push(ok(name, `${state.workers.length} processes`));
      continue;
    }
    const { status, body } = await get(state.port, health).catch((error: Error) => ({ status: 0, body: error.message }));
    const isHealthy = status === 200 && (JSON.parse(body) as { ok?: boolean }).ok === true;
    findings.push(
      isHealthy
        ? ok(name, `${health} on port ${state.port} is healthy`)
        : failure(name, `${health} on port ${state.port} answered ${status || body}`, 'read the log of the process'),
    );
  }
  return findings;
}

const get = (port: number, path: string, headers: Record<string, string> = {}): Promise<{ status: number; body: string }> =>
  new Promise((done, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers, timeout: 10_000, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body += chunk;
      });
      response.once('end', () => done({ status: response.statusCode ?? 0, body }));
      response.once('error', reject);
    });
    sent.once('timeout', () => sent.destroy(new Error('no response within 10 s')));
    sent.once('error', reject);
    sent.end();
  });

/** The smoke test of an upgrade: health, plugins, one route of the admin with a token, one of the storefront by host. */
export async function smokeTest(context: ApplyContext, before: PluginList | undefined): Promise<Finding[]> {
  const { dataDir, project, env, logs, signal } = context;
  const health = await checkHealth(dataDir);
  const findings =
    health.length > 0 ? health : [warning('services', 'no process of storeloom start runs', 'start it, then verify again')];
  const { code, stdout, tail } = await runRelease(servingFolder(project), ['probe', '--sign-in'], {
    cwd: project,
    env,
    log: join(logs, 'verify.log'),
    signal,
  });
  if (code !== 0) return [...findings, failure('release', `it doesn't start: ${tail}`, 'correct the stated cause')];
  const { shop, plugins, routes } = JSON.parse(stdout) as Probe;
  if (before) {
    const after = plugins.map(({ name, version, state }) => ({ name, package: '', version, state }));
    const changes = unexpectedChanges(before, after);
    for (const { name, change, from, to } of changes)
      findings.push(failure('plugins', `${name} ${from ?? '-'} → ${to ?? '-'}: ${change}`, 'compare with storeloom doctor'));
    if (changes.length === 0) findings.push(ok('plugins', `${plugins.length} as before, or with a higher version`));
  }
  const port = readProcessState(dataDir, 'api')?.port ?? 0;
  if (port === 0) return findings;
  if (!shop) return [...findings, warning('requests', 'there is no shop to send requests to', 'create one')];
  const checks = [
    ['/api/admin/products', '/api/admin/products/?limit=1', { authorization: `Bearer ${shop.adminToken ?? ''}` }],
    ['/api/storefront/categories', '/api/storefront/categories/', {}],
  ] as const;
  for (const [route, path, headers] of checks) {
    if (!routes.includes(route)) findings.push(ok('requests', `${path} isn't part of this installation`));
    else if (shop.adminToken === null && 'authorization' in headers)
      findings.push(warning('requests', `${shop.host} has no active owner for ${path}`, 'invite one'));
    else findings.push(await checkRoute(port, path, { host: shop.host, ...headers }));
  }
  return findings;
}

async function checkRoute(port: number, path: string, headers: Record<string, string>): Promise<Finding> {
  const where = `GET ${path} of ${headers.host}`;
  try {
    const { status, body } = await get(port, path, headers);
    if (status === 200) return ok('requests', where);
    return failure('requests', `${where} answered ${status}: ${body.slice(0, 300)}`, 'read the log of the process');
  } catch (error) {
    return failure('requests', `${where} failed: ${(error as Error).message}`, 'read the log of the process');
  }
}

/**
 * Runs the smoke test, compared with the plugins before the last upgrade. Exit codes: 0 · 3 findings · 5 the database is unreachable.
 */
export async function upgradeVerify(options: ReleaseOptions & { json?: boolean }, life: Lifetime): Promise<number> {
  const context = await openContext(options, life);
  const last = journals(resolve(options.dir))[0];
  const list = last && join(last.dir, 'plugins.json');
  const before = list && existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as PluginList) : undefined;
  const findings = await smokeTest(context, before);
  if (options.json) print({ ok: isClean(findings), findings });
  else for (const finding of findings) say(findingLine(finding));
  return isClean(findings) ? 0 : 3;
}

export const isClean = (findings: readonly Finding[]): boolean => findings.every(({ state }) => state !== 'error');
export const findingLine = ({ check, state, message, fix }: Finding): string =>
  `${{ ok: '✓', warning: '!', error: '✗' }[state]} ${check.padEnd(9)} ${message}${fix === undefined ? '' : ` (fix: ${fix})`}`;
