import { writeFileSync } from 'node:fs';

/** Writes for `test.mjs` which files failed with which tests, and the number of errors outside tests. */
export default class {
  onTestRunEnd(modules, unhandledErrors) {
    const failed = modules.filter((module) => module.state() === 'failed');
    const files = failed.map((module) => ({
      file: module.moduleId,
      tests: [...module.children.allTests('failed')].map(({ fullName }) => fullName),
    }));
    writeFileSync(process.env.STORELOOM_TEST_FAILURES, JSON.stringify({ files, unhandled: unhandledErrors.length }));
  }
}
