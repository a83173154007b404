/** Client configuration: what `/web/config.js` carries, merged over the client's defaults. */
import * as z from 'zod/mini'
import { dateFormat, dateTimeFormat, terminalScrollbackLines } from './limits.ts'

export const secondFactors = ['off', 'otp', 'webauthn', 'on', 'optional'] as const
export const secondFactorWire = z.enum(secondFactors)
export type SecondFactor = (typeof secondFactors)[number]

export const authProviderWire = z.object({
  name: z.string(),
  /** Without a good one the provider is called by its name. */
  displayName: z.catch(z.optional(z.string()), undefined),
  type: z.enum(['oidc', 'saml', 'github']),
  url: z.string(),
})
export type AuthProvider = z.output<typeof authProviderWire>

export const authConfigWire = z.object({
  second_factor: z.optional(secondFactorWire),
  providers: z.optional(z.array(authProviderWire)),
  localAuthEnabled: z.optional(z.boolean()),
  allowPasswordless: z.optional(z.boolean()),
  authType: z.optional(z.string()),
  preferredLocalMfa: z.optional(z.enum(['webauthn', 'otp', ''])),
  localConnectorName: z.optional(z.string()),
  /** The provider that comes first; absent when none is the default. */
  defaultConnectorName: z.optional(z.string()),
  privateKeyPolicy: z.optional(z.string()),
  motd: z.optional(z.string()),
})

export const clientConfigWire = z.object({
  auth: z.optional(authConfigWire),
  canJoinSessions: z.optional(z.boolean()),
  proxyCluster: z.optional(z.string()),
  isEnterprise: z.optional(z.boolean()),
  isCloud: z.optional(z.boolean()),
  isDashboard: z.optional(z.boolean()),
  isUsageBasedBilling: z.optional(z.boolean()),
  /** Where somebody may ask for what the plan does not include; ours. */
  contactUrl: z.optional(z.string()),
  tunnelPublicAddress: z.optional(z.string()),
  recoveryCodesEnabled: z.optional(z.boolean()),
  automaticUpgrades: z.optional(z.boolean()),
  assistEnabled: z.optional(z.boolean()),
  configDir: z.optional(z.string()),
  ui: z.optional(z.object({ scrollbackLines: z.optional(z.int().check(z.positive())) })),
  loc: z.optional(z.object({ dateTimeFormat: z.optional(z.string()), dateFormat: z.optional(z.string()) })),
})
export type ClientConfigWire = z.output<typeof clientConfigWire>

export interface AuthConfig {
  localAuthEnabled: boolean
  allowPasswordless: boolean
  localConnectorName: string
  defaultConnectorName: string
  providers: readonly AuthProvider[]
  second_factor: SecondFactor
  authType: string
  preferredLocalMfa: 'webauthn' | 'otp' | ''
  privateKeyPolicy: string
  motd: string
}

export interface ClientConfig {
  isEnterprise: boolean
  isCloud: boolean
  assistEnabled: boolean
  /** Undefined: config.js does not say, and ping may. */
  automaticUpgrades: boolean | undefined
  isDashboard: boolean
  tunnelPublicAddress: string
  recoveryCodesEnabled: boolean
  isUsageBasedBilling: boolean
  contactUrl: string
  canJoinSessions: boolean
  configDir: string
  /** Always the page's own origin; never taken from the server. */
  baseUrl: string
  proxyCluster: string
  ui: { scrollbackLines: number }
  loc: { dateTimeFormat: string; dateFormat: string }
  auth: AuthConfig
}

export const defaultClientConfig: Omit<ClientConfig, 'baseUrl'> = {
  isEnterprise: false,
  isCloud: false,
  assistEnabled: false,
  automaticUpgrades: undefined,
  isDashboard: false,
  tunnelPublicAddress: '',
  recoveryCodesEnabled: false,
  isUsageBasedBilling: false,
  contactUrl: '',
  canJoinSessions: true,
  configDir: '$HOME/.config/sallyport',
  proxyCluster: 'localhost',
  ui: { scrollbackLines: terminalScrollbackLines },
  loc: { dateTimeFormat, dateFormat },
  auth: {
    localAuthEnabled: true,
    allowPasswordless: false,
    localConnectorName: '',
    defaultConnectorName: '',
    providers: [],
    second_factor: 'off',
    authType: 'local',
    preferredLocalMfa: '',
    privateKeyPolicy: 'none',
    motd: '',
  },
}

const passwordless = 'passwordless'

/** Some peers send an empty text for what they leave unset. */
const given = <T extends object>(value: T | undefined): Partial<T> =>
  Object.fromEntries(Object.entries(value ?? {}).filter(([, field]) => field !== undefined && field !== '')) as Partial<T>

/** Without the parts that are not of the known form; of a list without the items. */
function readKnown(input: unknown): ClientConfigWire {
  const { data, error } = clientConfigWire.safeParse(input)
  if (data) return data
  const path = error?.issues[0]?.path ?? []
  const item = path.findIndex((step) => typeof step === 'number')
  return path.length === 0 ? {} : readKnown(without(input, item === -1 ? path : path.slice(0, item + 1)))
}

function without(value: unknown, [step, ...rest]: readonly PropertyKey[]): unknown {
  if (Array.isArray(value)) return value.filter((_, index) => index !== step)
  const fields = Object.entries(value ?? {}).filter(([name]) => name !== step || rest.length > 0)
  return Object.fromEntries(fields.map(([name, field]) => [name, name === step ? without(field, rest) : field]))
}

/**
 * The configuration in force: the server's answer over the defaults, lists replaced as a whole.
 * `input` is whatever `GRV_CONFIG` held; parts that are not of the known form are ignored.
 */
export function mergeClientConfig(input: unknown, baseUrl: string): ClientConfig {
  const { auth, ui, loc, ...top } = readKnown(input)
  const merged = {
    ...defaultClientConfig,
    ...given(top),
    baseUrl,
    ui: { ...defaultClientConfig.ui, ...given(ui) },
    loc: { ...defaultClientConfig.loc, ...given(loc) },
    // Who makes passkeys the first way allows them.
    auth: { ...defaultClientConfig.auth, allowPasswordless: auth?.localConnectorName === passwordless, ...given(auth) },
  }
  return merged as ClientConfig
}

export type PrimaryAuthType = 'passwordless' | 'local' | 'sso'

/** Which form the sign-in screen opens with (specification section 4). */
export function primaryAuthType(auth: AuthConfig): PrimaryAuthType {
  if (auth.localConnectorName === passwordless) return passwordless
  return auth.authType === 'local' ? 'local' : 'sso'
}
