/** Why the store cannot be opened, in one sentence that says what to do. */
export type StoreProblem = 'locked' | 'corrupt' | 'unwritable' | 'unreachable' | 'newer'

export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly problem: StoreProblem
  constructor(problem: StoreProblem, message: string, options?: ErrorOptions) {
    super(message, options)
    this.problem = problem
  }
}
