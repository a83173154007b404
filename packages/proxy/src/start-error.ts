/** Why the proxy cannot start, in one sentence that says what to do. */
export type StartProblem = 'data-dir' | 'port-taken' | 'address' | 'already-running' | 'tls'

export class StartError extends Error {
  override readonly name = 'StartError'
  readonly problem: StartProblem
  constructor(problem: StartProblem, message: string, options?: ErrorOptions) {
    super(message, options)
    this.problem = problem
  }
}
