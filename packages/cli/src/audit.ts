import { readFileSync } from 'node:fs';
import type { AuditAnchor } from '@storeloom/core';
import { ConfigError } from '@storeloom/keys';
import { type InstallationOptions, open } from './installation.ts';
import type { Lifetime } from './lifetime.ts';
import { say } from './output.ts';

interface AuditOptions extends InstallationOptions {
  tenant?: string;
  anchors?: string;
  json?: boolean;
}

const meanings = {
  changed: 'is not what was written',
  missing: 'is gone',
  added: 'was not written by the product',
  head: 'is not known to the end of the chain',
  anchor: 'has another hash than its anchor: the chain was rewritten',
} as const;

/** Exit codes: 0 all chains are intact · 1 unknown tenant · 2 usage · 3 rows were manipulated (each is listed). */
export async function auditVerify(options: AuditOptions, life: Lifetime): Promise<number> {
  const anchors = options.anchors === undefined ? [] : readAnchorFile(options.anchors);
  const prepared = await open({ ...options, port: '0' }, life, say, { logToStderr: true, logLevel: 'warn', beside: true });
  const reports = await prepared.audit.verify({ ...(options.tenant === undefined ? {} : { slug: options.tenant }), anchors });
  if (options.tenant !== undefined && reports.length === 0) {
    say(`there is no tenant ${options.tenant}`);
    return 1;
  }
  const faults = reports.reduce((sum, report) => sum + report.faults.length, 0);
  if (options.json) process.stdout.write(`${JSON.stringify({ faults, tenants: reports })}\n`);
  else
    for (const { slug, rows, anchors: compared, faults: found } of reports) {
      process.stdout.write(`${found.length === 0 ? 'whole' : 'BROKEN'}  ${slug}: ${rows} rows, ${compared} anchors\n`);
      for (const { position, id, fault } of found)
        process.stdout.write(`  row ${position}${id === null ? '' : ` (${id})`} ${meanings[fault]}\n`);
    }
  return faults === 0 ? 0 : 3;
}

/** Prints the anchors of all chains as JSON. Store them where accounts with write access to the database have none. */
export async function auditAnchors(options: InstallationOptions, life: Lifetime): Promise<number> {
  const prepared = await open({ ...options, port: '0' }, life, say, { logToStderr: true, logLevel: 'warn', beside: true });
  process.stdout.write(`${JSON.stringify(await prepared.audit.anchors())}\n`);
  return 0;
}

function readAnchorFile(path: string): AuditAnchor[] {
  const wrong = (why: string): ConfigError =>
    new ConfigError([`${path} ${why}; it must be what \`storeloom audit anchors\` printed`]);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw wrong(`can't be read (${(error as Error).message})`);
  }
  const isAnchor = (entry: unknown): entry is AuditAnchor => {
    const { tenantId, position, hash } = (entry ?? {}) as Partial<AuditAnchor>;
    return typeof tenantId === 'string' && Number.isSafeInteger(position) && typeof hash === 'string';
  };
  if (!Array.isArray(value) || !value.every(isAnchor)) throw wrong('holds no anchors');
  return value;
}
