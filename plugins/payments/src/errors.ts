import type { ProblemType } from '@storeloom/plugin-sdk';

export const errors = {} as const satisfies Record<string, ProblemType>;
