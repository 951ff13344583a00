import { configureGlobal } from 'fast-check';

/**
 * By day each property is tried with the same values in every run, so that a red run is about the change at hand; at night
 * (STORELOOM_NIGHTLY=1) with new ones, and what they find becomes a case of its own.
 */
if (process.env.STORELOOM_NIGHTLY !== '1') configureGlobal({ seed: 1 });
