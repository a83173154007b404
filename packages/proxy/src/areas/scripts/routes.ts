/** The script with which a machine joins, and the agent that it installs. */
import { createReadStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as calls from '@sallyport/wire/calls/scripts.ts'
import type { AgentPackage } from '../../core/agent-package/agent-package.ts'
import type { CertificatePins } from '../../core/certificate-pins.ts'
import { accessDenied, AppError, notFound } from '../../core/errors.ts'
import type { JoinTokens } from '../../core/join/join-tokens.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'
import type { Site } from '../../core/site.ts'
import { badToken, isGoodToken } from './good-token.ts'
import { failingScript, shellScript } from './shell-script.ts'

export interface ScriptsAreaDeps {
  joinTokens: Pick<JoinTokens, 'get'>
  agentPackage: AgentPackage
  site: Pick<Site, 'origin'>
  clusterName: string
  version: string
  /** Undefined when the certificate is one that every machine trusts, or none is served. */
  pins: () => Promise<CertificatePins | undefined>
}

const onlyByToken = 'error, agents of this cluster join by token only; make a token with the method token'

const installNodeBody = readFileSync(join(import.meta.dirname, 'install-node.sh'), 'utf8')

export function scriptsRoutes({ joinTokens, agentPackage, site, clusterName, version, pins }: ScriptsAreaDeps): Route[] {
  async function installNode(token: string, method: string): Promise<string> {
    if (method !== '' && method !== 'token') return failingScript(method === 'iam' ? onlyByToken : badToken)
    if (!(await isGoodToken(joinTokens, token))) return failingScript(badToken)
    const { sha256 } = await agentPackage.ready()
    const pinned = await pins()
    const values = {
      token,
      proxy: site.origin,
      cluster: clusterName,
      version,
      target: agentPackage.target,
      sha256,
      curl_pin: pinned?.curl ?? '',
      ca_pin: pinned?.authority ?? '',
    }
    return shellScript(values, installNodeBody)
  }
  return [
    on(calls.installNode, async ({ params, query, reply }) => {
      reply.type('text/x-shellscript; charset=utf-8')
      const script = await installNode(params.token, query.method).catch((error: unknown) => {
        if (error instanceof AppError) return failingScript(`error, ${error.message}`)
        throw error
      })
      return reply.send(script)
    }),
    on(calls.agent, async ({ params, reply }) => {
      if (!(await isGoodToken(joinTokens, params.token))) throw accessDenied(badToken)
      if (params.target !== `${agentPackage.target}.tar.gz`) throw notFound(`this proxy has the agent for ${agentPackage.target} only`)
      const { file, size } = await agentPackage.ready()
      reply.type('application/gzip').header('content-length', size)
      return reply.send(createReadStream(file))
    }),
    on(calls.certificatePin, async () => ({ pin: (await pins())?.curl ?? '' })),
  ]
}
