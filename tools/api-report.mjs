// The public types of the packages that others compile against, one committed report for each entry point, so that a breaking
// change shows in review. Fails if a report is stale or an export has no docstring; `--write` (npm run api) updates the reports.
// Needs built types.
import './needs-node.mjs';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompilerState, Extractor, ExtractorConfig } from '@microsoft/api-extractor';
import { packages, root } from './workspace.mjs';

const reported = [
  '@storeloom/plugin-sdk',
  '@storeloom/commerce',
  '@storeloom/testing',
  '@storeloom/theme-sdk',
  '@storeloom/client',
];
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
    .filter(([subpath, target]) => typeof target.types === 'string' && !subpath.includes('*'))
    .map(([subpath, { types }]) => [subpath === '.' ? 'index' : subpath.slice(2).replaceAll('/', '-'), types]);

/** Packages of shapes, whose properties are those of the wire contract: only their exports need a docstring. */
const shapes = new Set(['@storeloom/commerce']);

/** Properties whose name says all there is to say, wherever they occur. */
const selfEvident = new Set(['id', 'name', 'code', 'title', 'currency', 'quantity', 'version', 'createdAt', 'updatedAt']);
const declaration =
  /^(?:export )?(?:declare )?(?:abstract )?(?:const|function|interface|type|class|enum|let|namespace) (?<name>\w+)/;
const member = /^(?:(?:readonly|static|abstract|get|set) )*(?<name>[\w$]+)[?(<:]/;

/** Returns the exports and properties that the report marks `(undocumented)`, except self-evident ones and type-only tags (`_row`). */
function undocumentedIn(report) {
  const names = [];
  let owner = '';
  let isMarked = false;
  for (const line of report.split('\n')) {
    const text = line.trim();
    if (text.startsWith('//')) {
      isMarked ||= text.includes('(undocumented)');
      continue;
    }
    const exported = declaration.exec(line)?.groups.name;
    if (exported) owner = exported;
    const property = exported ? undefined : member.exec(text)?.groups.name;
    if (isMarked && exported) names.push(exported);
    else if (isMarked && property && !property.startsWith('_') && !selfEvident.has(property)) names.push(`${owner}.${property}`);
    isMarked = false;
  }
  return names;
}

const reportedPackages = packages().filter(({ name }) => reported.includes(name));
const missing = reportedPackages
  .flatMap((pkg) => entriesOf(pkg).map(([, types]) => join(pkg.dir, types)))
  .filter((file) => !existsSync(join(root, file)));
if (missing.length > 0) {
  console.error(`package.json declares types that were not built: ${missing.join(', ')}`);
  process.exit(1);
}

const scratch = mkdtempSync(join(tmpdir(), 'storeloom-api-'));
const stale = [];
const undocumented = [];
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
    // Unless written, the current report is in the temporary folder.
    const current = readFileSync(join(write ? join(root, pkg.dir, 'api') : scratch, report), 'utf8');
    const names = undocumentedIn(current).filter((name) => !shapes.has(pkg.manifest.name) || !name.includes('.'));
    undocumented.push(...names.map((name) => `${pkg.manifest.name} ${report}: ${name}`));
  }
  for (const file of readdirSync(join(root, pkg.dir, 'api')).filter((name) => !expected.has(name))) {
    stale.push(`${pkg.dir}/api/${file} (the entry point no longer exists)`);
    if (write) rmSync(join(root, pkg.dir, 'api', file));
  }
}
if (write) for (const path of stale) console.error(`written: ${path}`);
if (!write && stale.length > 0) {
  console.error(
    `The public types changed: ${stale.join(', ')}.\nIf this is intended, run \`npm run api\`, read the difference, and commit it.`,
  );
}
if (undocumented.length > 0) {
  console.error(
    `${undocumented.length} exports have no docstring. Say what each returns or does, its units and its errors:\n${undocumented.join('\n')}`,
  );
}
rmSync(scratch, { recursive: true, force: true });
process.exit((!write && stale.length > 0) || undocumented.length > 0 ? 1 : 0);
