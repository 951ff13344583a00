import { bail } from '../token.ts';

export const invoicingDraft = bail<
  { source: { type: string; id: string }; lines: { description: string; quantity: string; amount: number }[]; currency: string },
  { id: string; number: string | null }
>('kernel:invoicing.draft');
