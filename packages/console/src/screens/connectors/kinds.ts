/** The three kinds of identity providers: their words, calls, documents and forms. */
import { GitBranch, KeyRound, ShieldCheck } from 'lucide-react'
import * as connectors from '@sallyport/wire/calls/connectors.ts'
import type { IconType } from '../../ui/Icon.tsx'

export const kinds = ['github', 'oidc', 'saml'] as const
export type Kind = (typeof kinds)[number]
export const isKind = (text: string | undefined): text is Kind => kinds.some((kind) => kind === text)

export interface KindWords {
  title: string
  icon: IconType
  line: string
  /** The list of the document that maps to roles, and the fields of its entries that say what matches. */
  mappings: { field: string; parts: readonly { name: string; label: string }[]; title: string }
}

export const kindWords: Record<Kind, KindWords> = {
  github: {
    title: 'GitHub',
    icon: GitBranch,
    line: 'Teams of a GitHub organization, or of a GitHub Enterprise server',
    mappings: {
      field: 'teams_to_roles',
      title: 'Teams to roles',
      parts: [
        { name: 'organization', label: 'Organization' },
        { name: 'team', label: 'Team' },
      ],
    },
  },
  oidc: {
    title: 'OpenID Connect',
    icon: KeyRound,
    line: 'Google, Entra ID, Okta, Keycloak and every other OIDC provider',
    mappings: {
      field: 'claims_to_roles',
      title: 'Claims to roles',
      parts: [
        { name: 'claim', label: 'Claim' },
        { name: 'value', label: 'Value' },
      ],
    },
  },
  saml: {
    title: 'SAML',
    icon: ShieldCheck,
    line: 'ADFS, Okta, OneLogin and every other SAML 2.0 provider',
    mappings: {
      field: 'attributes_to_roles',
      title: 'Attributes to roles',
      parts: [
        { name: 'name', label: 'Attribute' },
        { name: 'value', label: 'Value' },
      ],
    },
  },
}

export const kindCalls = {
  github: {
    list: connectors.listGithub,
    create: connectors.createGithub,
    update: connectors.updateGithub,
    remove: connectors.removeGithub,
  },
  oidc: { list: connectors.listOidc, create: connectors.createOidc, update: connectors.updateOidc, remove: connectors.removeOidc },
  saml: { list: connectors.listSaml, create: connectors.createSaml, update: connectors.updateSaml, remove: connectors.removeSaml },
} as const
