/** Why a sign-in through a provider ended without a session. Browsers learn the page, the audit log the reason. */

/** `login`: this browser or this request is wrong. `callback`: the provider's answer cannot be used. `auth`: proved, but no role. */
export type FailurePage = 'login' | 'callback' | 'auth'

export class SsoError extends Error {
  override readonly name = 'SsoError'
  readonly page: FailurePage
  constructor(page: FailurePage, message: string, options?: ErrorOptions) {
    super(message, options)
    this.page = page
  }
}
