/** What has to hold before a browser gets a session on an application. */
import { appMfaText } from '@sallyport/wire/app-access.ts'
import type { BodyOf } from '@sallyport/wire/call.ts'
import type { createAppSession } from '@sallyport/wire/calls/apps.ts'
import { accessTo } from '../../core/access/assumed.ts'
import type { Audit } from '../../core/audit/audit.ts'
import type { Caller } from '../../core/caller.ts'
import type { ClusterSettings } from '../../core/cluster/cluster-settings.ts'
import { accessDenied, AppError, badParameter, connectionProblem, notImplemented } from '../../core/errors.ts'
import type { Factors } from '../../core/identity/factors.ts'
import { FactorError } from '../../core/identity/lockout.ts'
import { clientFields } from '../../core/identity/sign-in.ts'
import type { Client } from '../../core/route.ts'
import { isAwsConsole, isWebApp } from './app.ts'
import type { ServedApp } from './app.ts'
import type { AppSessions } from './app-sessions.ts'
import { appSessionFields } from './open-app-session.ts'
import { openConnection } from './connections.ts'
import type { AppNames, ServedApps } from './resolve-app.ts'

export interface StartSessionDeps {
  apps: Pick<ServedApps, 'dial'>
  names: AppNames
  sessions: Pick<AppSessions, 'begin'>
  settings: Pick<ClusterSettings, 'authPreference'>
  factors: Pick<Factors, 'key'>
  audit: Pick<Audit, 'emit'>
}

interface Start {
  body: BodyOf<typeof createAppSession>
  caller: Caller
  client: Client
  signal: AbortSignal
}

export async function startSession(deps: StartSessionDeps, { body, caller, client, signal }: Start) {
  const { app, host } = find(deps.names, body, caller)
  let withMfa: string | undefined
  try {
    withMfa = await requireUsable(deps, app, { body, caller, client, signal })
  } catch (error) {
    if (error instanceof AppError)
      await deps.audit.emit('T2007E', {
        // No session has begun.
        ...appSessionFields({ sid: '', user: caller.username, app: app.id, host, assumed: caller.assumed ?? [] }, app),
        ...clientFields(client),
        success: false,
        error: error.message,
      })
    throw error
  }
  const { value, subject } = await deps.sessions.begin(app, host, caller, client, withMfa)
  return { fqdn: host, cookie_value: value, subject_cookie_value: subject }
}

/** The same answer for what is hidden and for what is not there. */
function find(names: AppNames, { fqdn, cluster_name: clusterName, public_addr: publicAddr }: Start['body'], caller: Caller) {
  try {
    return names.resolve({ fqdn, clusterName, publicAddr }, caller)
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause
    throw accessDenied(`access to app denied: there is no application at "${publicAddr || fqdn}" that your roles allow`, { cause })
  }
}

/** The id of the key that confirmed it, where one had to. */
async function requireUsable(
  { apps, settings, factors }: StartSessionDeps,
  app: ServedApp,
  { body, caller, signal }: Start,
): Promise<string | undefined> {
  const access = accessTo(caller, 'app', app.id)
  const decision = access.checkResource('app', app.labels)
  if (!decision.allowed) throw accessDenied(decision.reason)
  if (isAwsConsole(app)) throw notImplemented('this proxy does not sign anybody in to the console of a cloud')
  if (!isWebApp(app)) throw badParameter(`"${app.id}" is not opened in a browser: run "sallyport proxy app ${app.id}"`)
  const mustConfirm = settings.authPreference.require_session_mfa !== false || access.resourceNeedsMfa('app', app.labels)
  const withMfa = mustConfirm ? await confirm(factors, caller.username, body) : undefined
  const upstream = { uri: new URL(app.uri), isInsecure: app.isInsecure, dial: (within: AbortSignal) => apps.dial(app, within) }
  const connection = await openConnection(upstream, signal).catch((cause: unknown) => {
    const reason = cause instanceof AppError ? cause.message : 'the connection could not be opened'
    throw connectionProblem(`unable to serve application requests: ${reason}`, { cause })
  })
  connection.destroy()
  return withMfa
}

async function confirm(factors: Pick<Factors, 'key'>, user: string, { mfa_response: given, mfaResponse }: Start['body']): Promise<string> {
  const assertion = (given ?? mfaResponse)?.webauthn_response
  if (!assertion) throw accessDenied(appMfaText)
  try {
    return (await factors.key({ for: 'confirm', user }, assertion)).id
  } catch (cause) {
    if (!(cause instanceof FactorError)) throw cause
    throw accessDenied(`access to app denied: the session was not confirmed: ${cause.message}`, { cause })
  }
}
