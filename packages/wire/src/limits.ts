/** Business constants of the specification, section 9, and the limits of the wire. Times in milliseconds unless named. */

export const terminalScrollbackLines = 1000
export const dateFormat = 'YYYY-MM-DD'
export const dateTimeFormat = 'YYYY-MM-DD HH:mm:ss'
export const shortDateFormat = 'MMM dd, yyyy'

export const auditFetchLimit = 5000
export const auditDefaultLimit = 500
export const auditMaxLimit = 10_000
export const auditQueryTextLength = 80

export const sessionRenewBelow = 180_000
export const sessionCheckEvery = 15_000
export const statusPollAbove = 30_000
export const inactivityCheckEvery = 30_000
export const inactivityMargin = 30_000
export const activityThrottle = 15_000
/** A renewing flag left behind by a tab that died is ignored after this. */
export const renewingFlagStale = 30_000

export const bearerTtl = 10 * 60_000
export const localSessionTtl = 12 * 3_600_000
export const ssoSessionTtl = 30 * 3_600_000
/** For as long a sign-in through a provider may take. */
export const ssoRequestTtl = 10 * 60_000

export const listDefaultLimit = 1000
export const listPageSize = 15

/** Token buckets per client address. */
export const rateLimits = {
  low: { perMinute: 20, burst: 40 },
  high: { perMinute: 120, burst: 480 },
} as const

/** Attempts to sign in as one user, from whatever addresses. */
export const accountRateLimit = { perMinute: 30, burst: 100 } as const

export const lockoutAttempts = 5
/** Attempts to recover an account. */
export const recoveryAttempts = 3
export const lockoutWindow = 30 * 60_000
export const lockoutDuration = 20 * 60_000

/** The shortest life time that may be chosen for a link. */
export const userTokenMinTtl = 3_600_000
export const userTokenTtl = {
  invite: { default: 3_600_000, max: 48 * 3_600_000 },
  password: { default: 8 * 3_600_000, max: 24 * 3_600_000 },
  privilege: { default: 5 * 60_000, max: 5 * 60_000 },
  privilege_exception: { default: 5 * 60_000, max: 5 * 60_000 },
  recovery_start: { default: 3 * 3_600_000, max: 3 * 3_600_000 },
  recovery_approved: { default: 15 * 60_000, max: 15 * 60_000 },
} as const
export const mfaChallengeTtl = 5 * 60_000
export const passwordlessChallengeTtl = 60_000
/** How long a command waits for its approval, and a browser for the command. */
export const headlessTtl = 180_000
export const headlessPatience = 30_000

export const passwordMinLength = 6
export const passwordMaxLength = 128
/** The console asks for more than the proxy insists on. */
export const newPasswordMinLength = 12
export const deviceNameMaxLength = 30

export const requestBodyLimit = 10 * 1024 * 1024
export const socketMessageLimit = 10 * 1024 * 1024
/** Some consoles misread a payload length of three varint bytes, so no terminal payload may need one. */
export const terminalPayloadLimit = 16_383
export const terminalMaxDimension = 4095
export const socketKeepAlive = 5 * 60_000

/** How long a connection test may take. */
export const diagnosticDialTimeout = { default: 30_000, max: 10 * 60_000 } as const
/** For as long the outcome of a connection test can be read. */
export const diagnosticTtl = 24 * 3_600_000

/** Characters of a path or file name on a server. */
export const transferPathLength = 4096

/** Bytes of one piece of a recording stream when the client names no length, and at most. */
export const recordingPieceLimit = 5 * 1024 * 1024
/** Lines on a page of the search in recordings. */
export const recordingSearchLimit = 50
export const recordingSearchMaxLimit = 500

/** Questions of one user to the assistant, and what else the model is asked for them. */
export const assistantRateLimit = { perMinute: 20, burst: 30 } as const
/** Characters of what somebody asks the assistant, and of its answers. */
export const chatTextLimit = 16_000
export const chatTitleLimit = 120
/** Characters of a command for many servers. It travels in an address. */
export const commandLimit = 4096
/** Servers that one command runs on at a time. */
export const commandsAtOnce = 30

/** Of a desktop's screen, each way. */
export const desktopMaxDimension = 8192
/** Text on the clipboard of a desktop, in characters. */
export const clipboardLimit = 1024 * 1024
/** Bytes of one piece of a file in a directory that is shared with a desktop. */
export const sharedPieceLimit = 1024 * 1024
/** Bytes of the list of such a directory: some hundred thousand files. */
export const sharedListLimit = 8 * 1024 * 1024

export const defaultJoinMethod = 'token'
export const resourceIdLabel = 'teleport.internal/resource-id'
/** Labels with these prefixes are searchable but never shown. */
export const hiddenLabelPrefixes = ['teleport.internal/', 'teleport.hidden/'] as const

/** Local storage: names are shared with other consoles of this product family. */
export const storagePrefix = 'grv_teleport_'
export const storageKeys = {
  token: 'grv_teleport_token',
  tokenRenew: 'grv_teleport_token_renew',
  lastActive: 'grv_teleport_last_active',
  discover: 'grv_teleport_discover',
  theme: 'grv_teleport_ui_theme',
  showAssist: 'grv_teleport_show_assist',
  assistViewMode: 'grv_teleport_assist_view_mode',
} as const
/** Not prefixed by decision: a viewer's own setting. */
export const telemetryStorageKey = 'enable-telemetry'

export const slideAnimation = 500
export const spinnerDelays = { none: 0, short: 400, long: 600 } as const

export const csrfCookie = '__Host-grv_csrf'
export const sessionCookie = '__Host-session'
export const csrfHeader = 'x-csrf-token'
export const csrfMeta = 'grv_csrf_token'
export const bearerMeta = 'grv_bearer_token'
