/** What the flow knows of an identity provider, whatever it speaks. */
import type { ConnectorType } from '../connectors/connectors.ts'
import type { Claims, Mapping } from '../connectors/mapping.ts'

/** What the browser brought back. */
export type ProviderAnswer =
  | { kind: 'query'; query: URLSearchParams }
  /** `requestId` is undefined for a sign-in that began at the provider. */
  | { kind: 'saml'; response: string; requestId: string | undefined }

/** Who somebody is, by the word of the provider. */
export interface Proof {
  username: string
  /** Stays the same when people or names change: two accounts of one name are told apart by it. */
  identity: string
  claims: Claims
  /** Traits besides the claims. */
  traits?: Claims
}

export interface Provider {
  readonly type: ConnectorType
  readonly name: string
  readonly mappings: readonly Mapping[]
  /** Where the browser goes, and what must be known again when it returns. Throws SsoError. */
  begin(requestId: string): Promise<{ address: string; kept: Record<string, string> }>
  /** Throws SsoError for every answer that proves nothing. */
  prove(answer: ProviderAnswer, kept: Readonly<Record<string, string>>): Promise<Proof>
}
