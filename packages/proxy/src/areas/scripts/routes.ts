/** The scripts with which a machine joins, as a server or to reach something for others, and the agent that they install. */
import { createReadStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as calls from '@sallyport/wire/calls/scripts.ts'
import { servedRoles } from '@sallyport/wire/tunnel.ts'
import type { FastifyReply } from 'fastify'
import type { AgentPackage } from '../../core/agent-package/agent-package.ts'
import type { CertificatePins } from '../../core/certificate-pins.ts'
import { accessDenied, AppError, notFound } from '../../core/errors.ts'
import type { JoinTokens } from '../../core/join/join-tokens.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'
import type { Site } from '../../core/site.ts'
import { badToken, isGoodToken } from './good-token.ts'
import { reachApp, reachCluster, reachDatabases, reachDesktop } from './reach.ts'
import type { Reach } from './reach.ts'
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
  async function install(token: string, { asked = [], knownBy = '', kube = '' }: Reach = {}): Promise<string> {
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
      asked: asked.join('\n'),
      known_by: knownBy,
      kube_name: kube,
    }
    return shellScript(values, installNodeBody)
  }
  async function installNode(token: string, method: string): Promise<string> {
    if (method !== '' && method !== 'token') return failingScript(method === 'iam' ? onlyByToken : badToken)
    return (await isGoodToken(joinTokens, token)) ? install(token) : failingScript(badToken)
  }
  /** `reach` is a text where something is wrong with it. */
  async function installFor(role: string, token: string, reach: Reach | string): Promise<string> {
    if (typeof reach === 'string') return failingScript(reach)
    return (await isGoodToken(joinTokens, token, [role])) ? install(token, reach) : failingScript(badToken)
  }
  async function installDatabase(token: string): Promise<string> {
    if (!(await isGoodToken(joinTokens, token, ['Db']))) return failingScript(badToken)
    const found = await joinTokens.get(token)
    const reach = reachDatabases(found?.spec.suggested_agent_matcher_labels ?? {})
    return typeof reach === 'string' ? failingScript(reach) : install(token, reach)
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
    on(calls.installApp, ({ params, query, reply }) => answer(reply, installFor('App', params.token, reachApp(query)))),
    on(calls.installDatabase, ({ params, reply }) => answer(reply, installDatabase(params.token))),
    on(calls.installDesktop, ({ params, query, reply }) => answer(reply, installFor('WindowsDesktop', params.token, reachDesktop(query)))),
    on(calls.installKube, ({ params, query, reply }) => answer(reply, installFor('Kube', params.token, reachCluster(query)))),
    on(calls.agent, async ({ params, reply }) => {
      if (!(await isGoodToken(joinTokens, params.token, ['Node', ...Object.values(servedRoles)]))) throw accessDenied(badToken)
      if (params.target !== `${agentPackage.target}.tar.gz`) throw notFound(`this proxy has the agent for ${agentPackage.target} only`)
      const { file, size } = await agentPackage.ready()
      reply.type('application/gzip').header('content-length', size)
      return reply.send(createReadStream(file))
    }),
    on(calls.certificatePin, async () => ({ pin: (await pins())?.curl ?? '' })),
  ]
}
