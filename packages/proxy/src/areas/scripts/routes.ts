/** The scripts with which a machine joins, as a server or to reach an application, and the agent that they install. */
import { createReadStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as calls from '@sallyport/wire/calls/scripts.ts'
import { dialTargetOf } from '@sallyport/wire/tunnel.ts'
import type { FastifyReply } from 'fastify'
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

/** It becomes part of a host name. */
const appName = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/
const appUri = /^(https?|tcp):\/\/[-\w/:.[\]]+$/

const installNodeBody = readFileSync(join(import.meta.dirname, 'install-node.sh'), 'utf8')

export function scriptsRoutes({ joinTokens, agentPackage, site, clusterName, version, pins }: ScriptsAreaDeps): Route[] {
  async function install(token: string, app: { name: string; uri: string }): Promise<string> {
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
      app_name: app.name,
      app_uri: app.uri,
    }
    return shellScript(values, installNodeBody)
  }
  async function installNode(token: string, method: string): Promise<string> {
    if (method !== '' && method !== 'token') return failingScript(method === 'iam' ? onlyByToken : badToken)
    return (await isGoodToken(joinTokens, token)) ? install(token, { name: '', uri: '' }) : failingScript(badToken)
  }
  async function installApp(token: string, app: { name: string; uri: string }): Promise<string> {
    if (!appName.test(app.name)) return failingScript('error, the name of an application is made of lowercase letters, digits and dashes')
    if (!appUri.test(app.uri) || dialTargetOf(app.uri) === undefined)
      return failingScript('error, the address of an application is a full one, such as http://localhost:3000')
    return (await isGoodToken(joinTokens, token, ['App'])) ? install(token, app) : failingScript(badToken)
  }
  const answer = async (reply: FastifyReply, script: Promise<string>): Promise<undefined> => {
    reply.type('text/x-shellscript; charset=utf-8')
    void reply.send(
      await script.catch((error: unknown) => {
        if (error instanceof AppError) return failingScript(`error, ${error.message}`)
        throw error
      }),
    )
  }
  return [
    on(calls.installNode, ({ params, query, reply }) => answer(reply, installNode(params.token, query.method))),
    on(calls.installApp, ({ params, query, reply }) => answer(reply, installApp(params.token, query))),
    on(calls.agent, async ({ params, reply }) => {
      if (!(await isGoodToken(joinTokens, params.token, ['Node', 'App']))) throw accessDenied(badToken)
      if (params.target !== `${agentPackage.target}.tar.gz`) throw notFound(`this proxy has the agent for ${agentPackage.target} only`)
      const { file, size } = await agentPackage.ready()
      reply.type('application/gzip').header('content-length', size)
      return reply.send(createReadStream(file))
    }),
    on(calls.certificatePin, async () => ({ pin: (await pins())?.curl ?? '' })),
  ]
}
