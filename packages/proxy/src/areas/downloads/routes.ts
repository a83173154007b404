/** What people get from this proxy: the agent that machines are given, and the licence that the operator has laid there. */
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import * as calls from '@sallyport/wire/calls/downloads.ts'
import type { Download } from '@sallyport/wire/calls/downloads.ts'
import type { AgentPackage } from '../../core/agent-package/agent-package.ts'
import type { Caller } from '../../core/caller.ts'
import { AppError, missingPermission, notFound } from '../../core/errors.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'
import type { Site } from '../../core/site.ts'

export interface DownloadsAreaDeps {
  agentPackage: AgentPackage
  site: Pick<Site, 'origin'>
  version: string
  /** Path of the licence; undefined where there is none. */
  licenseFile: string | undefined
}

const noLicense = 'this cluster has no license file; the operator names one with the setting licenseFile'

/** Whoever may read the licence may have what it is for. */
function requireDownloads({ access }: Caller): void {
  if (!access.allows('download', 'list') && !access.allows('license', 'read')) throw missingPermission('list', 'download')
}

export function downloadsRoutes({ agentPackage, site, version, licenseFile }: DownloadsAreaDeps): Route[] {
  const agentFile = `sallyport-agent-${agentPackage.target}.tar.gz`

  async function agent(): Promise<Download> {
    const { size, sha256 } = await agentPackage.ready()
    const [os = '', arch = ''] = agentPackage.target.split('-')
    return { name: 'agent', version, os, arch, edition: 'oss', url: `${site.origin}/v1/webapi/downloads/${agentFile}`, sha256, size }
  }
  return [
    on(calls.list, async ({ caller }) => {
      requireDownloads(caller)
      try {
        return [await agent()]
      } catch (error) {
        // Without a built agent there is nothing to hand out.
        if (error instanceof AppError && error.code === 'not_implemented') return []
        throw error
      }
    }),
    on(calls.file, async ({ caller, params, reply }) => {
      requireDownloads(caller)
      if (params.file !== agentFile) throw notFound(`this proxy hands out ${agentFile} only`)
      const { file, size } = await agentPackage.ready()
      reply.type('application/gzip').header('content-length', size).header('content-disposition', `attachment; filename="${agentFile}"`)
      return reply.send(createReadStream(file))
    }),
    on(calls.license, async ({ reply }) => {
      if (licenseFile === undefined) throw notFound(noLicense)
      const content = await readFile(licenseFile).catch((cause: unknown) => {
        throw notFound('the license file of this cluster cannot be read; the log of the proxy says why', { cause, detail: String(cause) })
      })
      reply.type('application/octet-stream').header('content-disposition', 'attachment; filename="license.pem"')
      return reply.send(content)
    }),
  ]
}
