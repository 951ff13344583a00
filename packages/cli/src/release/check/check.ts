import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { findPrograms } from '@storeloom/snapshot';
import semver from 'semver';
import { type Finding, failure, ok, warning } from '../../doctor/finding.ts';
import type { Lifetime } from '../../lifetime.ts';
import { print } from '../../output.ts';
import { type ApplyContext, openContext } from '../apply/context.ts';
import { type DatabaseFacts, databaseFacts } from '../apply/database.ts';
import type { ReleaseManifest } from '../manifest.ts';
import type { ReleaseOptions } from '../source.ts';
import { findManifest } from '../target.ts';
import { checkHealth, findingLine } from '../verify.ts';

/** A snapshot, its proof, and the tables that migrations rewrite need space, as a multiple of the database's size. */
const neededSpace = 2.5;
/** Certificates, tokens and schedules depend on the clock. Milliseconds. */
const clockTolerance = 10_000;

interface CheckOptions extends ReleaseOptions {
  readonly to?: string;
  readonly from?: string;
  readonly manifest?: string;
  readonly json?: boolean;
}

/**
 * Checks whether an upgrade can run now; changes nothing. With a target, also its demands on the server. Exit codes: 0 · 1 it can't · 5
 * database unreachable.
 */
export async function upgradeCheck(options: CheckOptions, life: Lifetime): Promise<number> {
  const context = await openContext(options, life);
  const hasTarget = options.to !== undefined || options.from !== undefined || options.manifest !== undefined;
  const findings = await checkUpgrade(context, hasTarget ? await findManifest(options, life.signal) : undefined);
  const isReady = findings.every(({ state }) => state !== 'error');
  if (options.json) print({ ok: isReady, findings });
  else for (const finding of findings) print(findingLine(finding));
  return isReady ? 0 : 1;
}

/** Services, disk, database and the programs of snapshots. */
export async function checkUpgrade(
  { dataDir, ownerUrl, snapshots, source }: Pick<ApplyContext, 'dataDir' | 'ownerUrl' | 'snapshots' | 'source'>,
  manifest: Pick<ReleaseManifest, 'version' | 'postgres'> | undefined,
): Promise<Finding[]> {
  const facts = await databaseFacts(ownerUrl);
  return [
    ...(await checkHealth(dataDir)),
    diskFinding(facts, freeBytes(snapshots), snapshots),
    ...databaseFindings(facts, manifest),
    source.url === undefined ? ok('snapshots', 'the embedded database is copied') : programFinding(facts.major),
  ];
}

/** Space for the user of this process, in the folder or in the nearest one above that exists. */
function freeBytes(folder: string): number {
  let at = folder;
  while (!existsSync(at)) at = dirname(at);
  const { bavail, bsize } = statfsSync(at);
  return bavail * bsize;
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`;

export function diskFinding({ bytes }: Pick<DatabaseFacts, 'bytes'>, free: number, folder: string): Finding {
  const needed = bytes * neededSpace;
  return free >= needed
    ? ok('disk', `${megabytes(free)} free, ${megabytes(needed)} needed`)
    : failure(
        'disk',
        `${megabytes(free)} free in ${folder}, and ${megabytes(needed)} are needed: ${neededSpace} times the database`,
        'free space, or delete old snapshots with storeloom snapshot prune',
      );
}

export function databaseFindings(
  { version, major, ahead, old }: DatabaseFacts,
  manifest: Pick<ReleaseManifest, 'version' | 'postgres'> | undefined,
): Finding[] {
  const findings: Finding[] = old.map(({ pid, application, seconds }) =>
    failure(
      'transactions',
      `the connection ${pid}${application === '' ? '' : ` of ${application}`} has had a transaction open for ${Math.floor(seconds / 60)} minutes: migrations would wait for its locks`,
      'end the program that holds it',
    ),
  );
  if (old.length === 0) findings.push(ok('transactions', 'none is older than five minutes'));
  if (manifest && !semver.satisfies(`${major}.0.0`, manifest.postgres))
    findings.push(
      failure(
        'postgres',
        `${manifest.version} needs PostgreSQL ${manifest.postgres}, and this is ${version}`,
        'upgrade the server first',
      ),
    );
  else findings.push(ok('postgres', version));
  const skew = `the clock of the server is ${Math.abs(Math.round(ahead / 1000))} s ${ahead > 0 ? 'ahead of' : 'behind'} this machine's`;
  if (Math.abs(ahead) > clockTolerance) findings.push(warning('clock', skew, 'synchronise both clocks'));
  return findings;
}

function programFinding(major: number): Finding {
  try {
    const { bin, major: found } = findPrograms(major);
    return ok('snapshots', `pg_dump ${found} in ${bin}`);
  } catch (error) {
    return failure('snapshots', (error as Error).message, `install the client programs of PostgreSQL ${major}`);
  }
}
