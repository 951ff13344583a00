const longest = 2 ** 31 - 1;

/** The time that each tap of a hook call has. Taps that don't wait cost no timer; those that do share one. */
export class Deadline {
  private readonly milliseconds: number;
  private timer: NodeJS.Timeout | undefined;
  private expire: () => void = () => undefined;
  constructor(milliseconds: number) {
    this.milliseconds = Math.min(milliseconds, longest);
  }
  /** Starts the time of the next tap. */
  start(expire: () => void): void {
    this.expire = expire;
    if (this.timer) this.timer.refresh();
    else this.timer = setTimeout(() => this.expire(), this.milliseconds);
  }
  end(): void {
    clearTimeout(this.timer);
  }
}
