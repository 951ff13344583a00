import { personalRows, personalTaps } from '@storeloom/plugin-sdk/people';
import { loan } from './loan.ts';

// #region people
/** Loans are found by `customerId`. They hold nothing else of the person, so nothing is erased. */
export const { exportPerson } = personalTaps(
  personalRows({ table: loan, exports: ['toolId', 'status', 'dueOn', 'createdAt'], erased: false }),
);
// #endregion
