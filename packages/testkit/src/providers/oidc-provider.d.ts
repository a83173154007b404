/** What is used of the library, which brings no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  export interface OidcContext {
    oidc: {
      provider: { Grant: new (of: { clientId: string; accountId: string | undefined }) => Grant }
      client: { clientId: string }
      session: { accountId: string | undefined }
      requestParamScopes: Set<string>
    }
  }
  export interface Grant {
    addOIDCScope(scope: string): void
    save(): Promise<string>
  }
  export class Provider {
    constructor(issuer: string, configuration: object)
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
  }
}
