import { configureGlobal } from 'fast-check';

/**
 * Property tests use the same values in every run, so that a failure is caused by the change; at night (STORELOOM_NIGHTLY=1) they use new
 * values, and each finding becomes a test case.
 */
if (process.env.STORELOOM_NIGHTLY !== '1') configureGlobal({ seed: 1 });
