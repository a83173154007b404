/** Something that the person in front of this machine can do something about: one sentence that says what. */
export class AgentError extends Error {
  override readonly name = 'AgentError'
}
