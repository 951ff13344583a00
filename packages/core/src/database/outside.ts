/**
 * What a unit of work has asked of somebody outside. No transaction stays open meanwhile: the unit is undone, the questions are asked, all
 * at once, and it begins again with their answers.
 */
export class Outside {
  private readonly answers = new Map<string, unknown>();
  private readonly questions = new Map<string, () => Promise<unknown>>();

  /** The answer, where the question was asked before. @throws OutsideNeeded */
  get(key: string, ask: () => Promise<unknown>): unknown {
    if (this.answers.has(key)) return this.answers.get(key);
    this.questions.set(key, ask);
    throw new OutsideNeeded();
  }
  /** Whether somebody has asked, and maybe swallowed that there is no answer yet. */
  get waits(): boolean {
    return this.questions.size > 0;
  }
  async ask(): Promise<void> {
    const asked = [...this.questions];
    this.questions.clear();
    for (const [key, answer] of await Promise.all(asked.map(async ([key, ask]) => [key, await ask()] as const)))
      this.answers.set(key, answer);
  }
}

/** Ends an attempt at a unit of work that has to ask first. */
export class OutsideNeeded extends Error {
  constructor() {
    super('the unit of work begins again once somebody outside has answered');
    this.name = 'OutsideNeeded';
  }
}
