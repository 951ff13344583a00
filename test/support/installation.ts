import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface SmallPlugin {
  /** Source of its module. */
  module: string;
  /** Statements of its one migration, `migrations/0001_start.sql`. */
  migration?: string;
  peers?: Record<string, string>;
  version?: string;
}
export interface SmallInstallation {
  dir: string;
  dataDir: string;
  write(name: string, plugin: SmallPlugin): void;
  remove(): void;
}

/** A module that serves `GET /api/storefront/<name>/`, and has the migration beside it where there is one. */
export const serving = (name: string, migrates = false): string => `
import { definePlugin, migrations, route, f } from '@storeloom/plugin-sdk';
export default definePlugin({
  name: '${name}',
  ${migrates ? "migrations: migrations(import.meta.url, ['0001_start.sql'])," : ''}
  storefront: [route('GET', '/${name}/', { summary: 'Whether it is here', response: { here: f.bool() } }, async () => ({ here: true }))],
  locales: { ro: {}, en: {} },
});
`;

/** An installation in a folder of its own: plugins that are folders in it, one demo shop, and the repository's packages. */
export function installation(plugins: Record<string, SmallPlugin>): SmallInstallation {
  const place = mkdtempSync(join(tmpdir(), 'storeloom-installation-'));
  const dir = join(place, 'shop');
  mkdirSync(dir);
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ name: 'small-installation', private: true, type: 'module' }));
  const config = {
    plugins: Object.keys(plugins).map((name) => `./plugins/${name}`),
    demo: [{ slug: 'small', name: 'Small', host: 'small.localhost', locales: ['ro', 'en'], currency: 'RON', timezone: 'UTC' }],
  };
  writeFileSync(join(dir, 'storeloom.config.mjs'), `export default ${JSON.stringify(config)};\n`);
  const write = (name: string, { module, migration, peers, version = '1.0.0' }: SmallPlugin): void => {
    const folder = join(dir, 'plugins', name);
    mkdirSync(join(folder, 'src'), { recursive: true });
    mkdirSync(join(folder, 'migrations'), { recursive: true });
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({
        name: `@storeloom/plugin-${name}`,
        version,
        type: 'module',
        exports: { '.': './src/index.js' },
        storeloom: { plugin: name },
        peerDependencies: { '@storeloom/plugin-sdk': '^1.0.0', ...peers },
      }),
    );
    writeFileSync(join(folder, 'src/index.js'), module);
    if (migration !== undefined) writeFileSync(join(folder, 'migrations/0001_start.sql'), migration);
  };
  for (const [name, plugin] of Object.entries(plugins)) write(name, plugin);
  return { dir, dataDir: join(place, 'data'), write, remove: () => rmSync(place, { recursive: true, force: true }) };
}
