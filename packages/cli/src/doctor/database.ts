import pg from 'pg';
import { type Finding, failure, ok, warning } from './finding.ts';

interface Server {
  version: string;
  major: number;
  createrole: boolean;
  superuser: boolean;
}

/** Version, roles, and owners of functions, as the owner of the database. */
export async function checkDatabase(ownerUrl: string): Promise<Finding[]> {
  const client = new pg.Client({ connectionString: ownerUrl, application_name: 'storeloom-doctor' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<Server>(
      `select current_setting('server_version') as version, current_setting('server_version_num')::int / 10000 as major,
        rolcreaterole as createrole, rolsuper as superuser from pg_roles where rolname = current_user`,
    );
    const { version, createrole, superuser } = rows[0] as Server;
    const findings: Finding[] = [ok('database', `PostgreSQL ${version}`)];
    if (!createrole && !superuser)
      findings.push(failure('roles', 'the owner may not create roles', 'alter role … createrole, as a superuser'));
    if (superuser)
      findings.push(
        warning(
          'roles',
          'the owner is a superuser',
          'use a role with createrole that owns the database, so that row-level security applies to it',
        ),
      );
    const { rows: roles } = await client.query<{ role: string; strong: boolean }>(
      `select rolname::text as role, rolsuper or rolbypassrls as strong from pg_roles where rolname in ('storeloom_app', 'storeloom_platform') or rolname ~ '^storeloom_runtime_'`,
    );
    for (const { role, strong } of roles)
      if (strong)
        findings.push(failure('roles', `${role} ignores row-level security`, `alter role ${role} nosuperuser nobypassrls`));
    if (roles.length < 3) findings.push(warning('roles', 'the roles of requests and jobs are missing', 'run storeloom migrate'));
    // A restore without owners makes the owner, who sees no tenant's rows, the owner of all functions.
    const { rows: functions } = await client.query<{ all: number; platform: number }>(
      `select count(*)::int as "all", (count(*) filter (where pg_get_userbyid(p.proowner) = 'storeloom_platform'))::int as platform
      from pg_proc p where p.prosecdef and p.pronamespace = 'public'::regnamespace`,
    );
    const { all = 0, platform = 0 } = functions[0] ?? {};
    if (all > 0 && platform === 0)
      findings.push(
        failure(
          'roles',
          `all ${all} functions of other rights belong to the owner, which sees no rows of tenants: a restore lost their owners`,
          'restore with storeloom rollback, which restores the owners, or without --no-owner',
        ),
      );
    const { rows: tables } = await client.query<{ there: boolean }>(
      `select to_regclass('core_installation') is not null as there`,
    );
    const { rows: pauses } = tables[0]?.there
      ? await client.query<{ by: string }>(
          `select coalesce(value ->> 'by', 'unknown') as by from core_installation where key = 'jobs.paused'`,
        )
      : { rows: [] };
    if (pauses[0])
      findings.push(
        warning(
          'jobs',
          `no process runs jobs: paused by "${pauses[0].by}"`,
          'complete the upgrade with storeloom upgrade apply --resume or --abort',
        ),
      );
    if (findings.every(({ check }) => check !== 'roles'))
      findings.push(ok('roles', 'owner, runtime login and functions are as they must be'));
    return findings;
  } finally {
    await client.end();
  }
}
