/** The scripts that prepare an Active Directory domain for desktops. */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as calls from '@sallyport/wire/calls/desktop-scripts.ts'
import { resourceIdLabel } from '@sallyport/wire/limits.ts'
import type { FastifyReply } from 'fastify'
import type { DesktopAuthority } from '../../core/authorities/desktop-authority.ts'
import { badParameter } from '../../core/errors.ts'
import type { JoinTokens } from '../../core/join/join-tokens.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'
import type { Site } from '../../core/site.ts'
import { isGoodToken } from './good-token.ts'
import { powerShellScript } from './powershell-script.ts'

export interface DesktopScriptDeps {
  joinTokens: Pick<JoinTokens, 'get'>
  desktopAuthority: DesktopAuthority
  site: Pick<Site, 'origin'>
  clusterName: string
}

const read = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8')
const installDirectory = read('install-ad-ds.ps1')
const installAuthority = read('install-ad-cs.ps1')
const configureBody = read('configure-ad.ps1')

async function send(reply: FastifyReply, script: string): Promise<undefined> {
  await reply.type('text/plain; charset=utf-8').send(script)
}

export function desktopScriptRoutes({ joinTokens, desktopAuthority, site, clusterName }: DesktopScriptDeps): Route[] {
  /** Throws bad parameter. */
  async function configure(token: string): Promise<string> {
    if (!(await isGoodToken(joinTokens, token, ['WindowsDesktop']))) throw badParameter('invalid token')
    const found = await joinTokens.get(token)
    const certificate = await desktopAuthority.certificate()
    const values = {
      Cluster: clusterName,
      Proxy: site.origin,
      Token: token,
      ResourceId: found?.spec.suggested_labels?.[resourceIdLabel]?.[0] ?? '',
      Authority: certificate,
      AuthorityHash: new X509Certificate(certificate).fingerprint.replaceAll(':', ''),
    }
    return powerShellScript(values, configureBody)
  }
  return [
    on(calls.installDirectory, ({ reply }) => send(reply, installDirectory)),
    on(calls.plainInstallDirectory, ({ reply }) => send(reply, installDirectory)),
    on(calls.installDomainAuthority, ({ reply }) => send(reply, installAuthority)),
    on(calls.plainInstallDomainAuthority, ({ reply }) => send(reply, installAuthority)),
    on(calls.configureDomain, async ({ params, reply }) => send(reply, await configure(params.token))),
    on(calls.plainConfigureDomain, async ({ params, reply }) => send(reply, await configure(params.token))),
    on(calls.shortConfigureDomain, async ({ params, reply }) => send(reply, await configure(params.token))),
  ]
}
