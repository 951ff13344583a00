// The public types of the packages that others compile against, one committed report an entry point, so that a breaking change
// shows in review. Checks them (exit 1 when one is stale); `--write` (npm run api) brings them up to date. Needs built types.
import './needs-node.mjs';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompilerState, Extractor, ExtractorConfig } from '@microsoft/api-extractor';
import { packages, root } from './workspace.mjs';

const reported = ['@storeloom/plugin-sdk', '@storeloom/testing', '@storeloom/theme-sdk', '@storeloom/client'];
const write = process.argv.includes('--write');
const none = { default: { logLevel: 'none' } };

function configOf(pkg, name, types) {
  const folder = join(root, pkg.dir);
  return ExtractorConfig.prepare({
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: join(folder, types),
      newlineKind: 'lf',
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: 'es2023',
            module: 'nodenext',
            moduleResolution: 'nodenext',
            allowImportingTsExtensions: true,
            noEmit: true,
            strict: true,
            skipLibCheck: true,
            types: ['node'],
          },
          files: entriesOf(pkg).map(([, file]) => join(folder, file)),
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: `${name}.api.md`,
        reportFolder: join(folder, 'api'),
        reportTempFolder: scratch,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: { compilerMessageReporting: none, extractorMessageReporting: none, tsdocMessageReporting: none },
    },
    configObjectFullPath: join(folder, 'package.json'),
    packageJsonFullPath: join(folder, 'package.json'),
  });
}

/** `[report name, types file]` of each entry point with types. */
const entriesOf = (pkg) =>
  Object.entries(pkg.manifest.exports)
    .filter(([, target]) => typeof target.types === 'string')
    .map(([subpath, { types }]) => [subpath === '.' ? 'index' : subpath.slice(2).replaceAll('/', '-'), types]);

const reportedPackages = packages().filter(({ name }) => reported.includes(name));
const unmade = reportedPackages
  .flatMap((pkg) => entriesOf(pkg).map(([, types]) => join(pkg.dir, types)))
  .filter((file) => !existsSync(join(root, file)));
if (unmade.length > 0) {
  console.error(`package.json names types that the build did not make: ${unmade.join(', ')}`);
  process.exit(1);
}

const scratch = mkdtempSync(join(tmpdir(), 'storeloom-api-'));
const stale = [];
for (const pkg of reportedPackages) {
  const configs = entriesOf(pkg).map(([name, types]) => configOf(pkg, name, types));
  const compilerState = CompilerState.create(configs[0], {
    additionalEntryPoints: configs.map((config) => config.mainEntryPointFilePath),
  });
  mkdirSync(join(root, pkg.dir, 'api'), { recursive: true });
  const expected = new Set();
  for (const config of configs) {
    const report = config.reportConfigs[0].fileName;
    expected.add(report);
    const { apiReportChanged } = Extractor.invoke(config, {
      compilerState,
      localBuild: write,
      messageCallback: (message) => {
        message.handled = message.logLevel !== 'error';
      },
    });
    if (apiReportChanged) stale.push(`${pkg.dir}/api/${report}`);
  }
  for (const file of readdirSync(join(root, pkg.dir, 'api')).filter((name) => !expected.has(name))) {
    stale.push(`${pkg.dir}/api/${file} (no such entry point any more)`);
    if (write) rmSync(join(root, pkg.dir, 'api', file));
  }
}
if (write) for (const path of stale) console.error(`written: ${path}`);
if (!write && stale.length > 0) {
  console.error(
    `The public types changed: ${stale.join(', ')}.\nIf that is meant, run \`npm run api\`, read the difference, and commit it.`,
  );
}
rmSync(scratch, { recursive: true, force: true });
process.exit(!write && stale.length > 0 ? 1 : 0);
