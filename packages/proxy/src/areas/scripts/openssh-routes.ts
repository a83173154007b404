/** The script with which a machine registers its OpenSSH server, and what the script asks for. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as calls from '@sallyport/wire/calls/openssh.ts'
import type { Authorities } from '../../core/authorities/authorities.ts'
import type { JoinTokens } from '../../core/join/join-tokens.ts'
import type { CertificatePins } from '../../core/certificate-pins.ts'
import type { Enrol } from '../../core/openssh/enrol.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'
import type { Site } from '../../core/site.ts'
import { badToken, isGoodToken } from './good-token.ts'
import { failingScript, shellScript } from './shell-script.ts'

export interface OpenSshScriptDeps {
  joinTokens: Pick<JoinTokens, 'get'>
  enrol: Enrol
  authorities: Pick<Authorities, 'userCa'>
  site: Pick<Site, 'origin'>
  clusterName: string
  /** Undefined when the certificate is one that every machine trusts, or none is served. */
  pins: () => Promise<CertificatePins | undefined>
}

const installBody = readFileSync(join(import.meta.dirname, 'install-openssh.sh'), 'utf8')

export function openSshScriptRoutes({ joinTokens, enrol, authorities, site, clusterName, pins }: OpenSshScriptDeps): Route[] {
  return [
    on(calls.installOpenSsh, async ({ params: { token }, reply }) => {
      reply.type('text/x-shellscript; charset=utf-8')
      if (!(await isGoodToken(joinTokens, token))) return reply.send(failingScript(badToken))
      const curl_pin = (await pins())?.curl ?? ''
      const values = { token, proxy: site.origin, cluster: clusterName, user_ca: authorities.userCa.publicLine, curl_pin }
      return reply.send(shellScript(values, installBody))
    }),
    on(calls.enrollOpenSsh, async ({ body, client, reply }) => {
      const { id, addr, certificate } = await enrol(body, client)
      const lines = [`id ${id}`, `address ${addr}`, ...(certificate === undefined ? [] : [`certificate ${certificate}`])]
      reply.type('text/plain; charset=utf-8')
      return reply.send(`${lines.join('\n')}\n`)
    }),
  ]
}
