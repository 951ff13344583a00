import { Problem, problem } from '@storeloom/plugin-sdk';

/** Runs a check made for a body of another form: its faults point to where the member stands in this one. */
export async function pointing<T>(from: RegExp, to: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem) || !error.extra.errors) throw error;
    const errors = error.extra.errors.map((fault) => ({ ...fault, pointer: fault.pointer.replace(from, to) }));
    throw problem(error.code, { ...error.extra, errors });
  }
}
