// Imported first by programs that need Node 24: an older version would fail with a syntax error.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 7)) {
  process.stderr.write(
    `Node 24.7 or later is required; this is Node ${process.versions.node}. Use the npm scripts (npm test, npm run build …), which run on their own Node.\n`,
  );
  process.exit(2);
}
