import { bail } from '../token.ts';

/**
 * Hook that drafts an invoice; the invoicing plugin taps it and returns id and number. `amount` is a unit price in minor units,
 * `quantity` a decimal string.
 */
export const invoicingDraft = bail<
  { source: { type: string; id: string }; lines: { description: string; quantity: string; amount: number }[]; currency: string },
  { id: string; number: string | null }
>('kernel:invoicing.draft');
