import { createSheet, type Sheet } from './sheet.ts';
import type { PricedSheet, Trace, TraceStep } from './sheet-types.ts';

/**
 * Recalculates the sheet of a trace from its inputs. The result is byte for byte (`JSON.stringify`) the sheet that wrote the
 * trace. Rule R18.
 *
 * @throws Error if the recorded steps, shares or totals don't follow from the inputs: the trace was changed afterwards
 */
export function replay(trace: Trace): PricedSheet {
  if (trace.version !== 1) throw new Error(`a trace of version ${String(trace.version)} can't be replayed`);
  const sheet = createSheet(trace.context, trace.lines);
  let captured = 0;
  for (const step of trace.steps) {
    if (step.op === 'captured') captured = step.amount;
    else apply(sheet, step);
  }
  const priced = sheet.finish({ captured });
  if (JSON.stringify(priced.trace) !== JSON.stringify(trace)) throw new Error('the trace does not follow from its inputs');
  return priced;
}

function apply(sheet: Sheet, step: Exclude<TraceStep, { op: 'captured' }>): void {
  switch (step.op) {
    case 'discount':
      sheet.addDiscount(step.input);
      return;
    case 'shipping':
      sheet.setShipping(step.input);
      return;
    case 'surcharge':
      sheet.addSurcharge(step.input);
      return;
    case 'taxes':
      sheet.setTaxes(step.input);
      return;
    case 'cash_rounding':
      sheet.roundCash(step.step, step.amount);
      return;
    case 'tender':
      sheet.addTender(step.input);
  }
}
