/** Why the model gave no answer, in words for whoever asked. */
export type ModelFailure = 'unreachable' | 'refused' | 'busy' | 'failed' | 'stalled' | 'broken' | 'rubbish' | 'key'

const texts: Readonly<Record<ModelFailure, string>> = {
  unreachable: 'The model cannot be reached. Try again; if it stays so, tell an administrator.',
  refused: 'The model refuses the key of this cluster. An administrator has to give a valid one.',
  busy: 'The model has too much to do. Try again in a moment.',
  failed: 'The model answered with an error. Try again; if it stays so, tell an administrator.',
  stalled: 'The model stopped answering. Ask again.',
  broken: 'The connection to the model broke before its answer was complete. Ask again.',
  rubbish: 'The model answered in a way that is not understood. Ask again; if it stays so, tell an administrator.',
  key: 'The key for the model cannot be read. An administrator has to look at the settings of the proxy.',
}

export class ModelError extends Error {
  override readonly name = 'ModelError'
  readonly failure: ModelFailure
  /** The answer's status, where one came. Never what was in it: some services repeat the key in their refusals. */
  readonly status: number | undefined
  constructor(failure: ModelFailure, options: ErrorOptions & { status?: number } = {}) {
    super(texts[failure], options)
    this.failure = failure
    this.status = options.status
  }
}
