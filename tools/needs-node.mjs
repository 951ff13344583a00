// Imported first by programs that need Node 24: an older version would fail with a syntax error.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 7)) {
  process.stderr.write(
    `this runs on Node 24.7 or later, and this is Node ${process.versions.node}: start it by npm (npm test, npm run build …), which brings its own\n`,
  );
  process.exit(2);
}
