import { writeFileSync } from 'node:fs';

/** Notes for `test.mjs` which files failed, with which tests, and how many errors belong to no test. */
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
