/** Who this host is in its cluster: its key, the certificate over it, and whom it trusts. `identity.json` in the data directory. */
import type { KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseCertificateLine } from '@sallyport/protocols/ssh/certificate.ts'
import type { HostIdentity } from '@sallyport/protocols/ssh/certified-host-key.ts'
import { encodePublicKey, parsePublicKey } from '@sallyport/protocols/ssh/keys.ts'
import { clusterNewsWire } from '@sallyport/wire/tunnel.ts'
import type { ClusterNews } from '@sallyport/wire/tunnel.ts'
import { AgentError } from './agent-error.ts'
import { openHostKeys } from './identity.ts'
import { writePrivateFile } from './private-file.ts'

export interface Credentials {
  readonly hostId: string
  readonly privateKey: KeyObject
  cluster(): string
  identity(): HostIdentity
  /** The line of the certificate. */
  certificateLine(): string
  userCa(): readonly KeyObject[]
  /** Takes what the cluster says, for good: it is on the disk when this resolves. Throws when it is not for this host. */
  update(news: ClusterNews): Promise<void>
}

const fileOf = (dataDir: string): string => join(dataDir, 'identity.json')

interface Known {
  readonly news: ClusterNews & { certificate: string }
  readonly identity: HostIdentity
  readonly userCa: readonly KeyObject[]
}

function parseNews(news: ClusterNews, privateKey: KeyObject): Known {
  const { certificate: line } = news
  if (line === undefined) throw new Error('there is no certificate in it')
  const certificate = parseCertificateLine(line)
  if (!encodePublicKey(certificate.publicKey).equals(encodePublicKey(privateKey))) throw new Error('the certificate is for another key')
  return { news: { ...news, certificate: line }, identity: { privateKey, certificate }, userCa: news.userCa.map(parsePublicKey) }
}

export async function saveCredentials(dataDir: string, news: ClusterNews, privateKey: KeyObject): Promise<void> {
  parseNews(news, privateKey)
  await writePrivateFile(fileOf(dataDir), `${JSON.stringify(news, undefined, 2)}\n`)
}

/** Throws AgentError: not joined, or damaged. */
export async function openCredentials(dataDir: string): Promise<Credentials> {
  const { hostId, privateKey } = await openHostKeys(dataDir)
  const file = fileOf(dataDir)
  let known: Known
  try {
    known = parseNews(clusterNewsWire.parse(JSON.parse(await readFile(file, 'utf8'))), privateKey)
  } catch (cause) {
    throw new AgentError(`${file} is missing or damaged: run "sallyport agent join" again with a new token.`, { cause })
  }
  return {
    hostId,
    privateKey,
    cluster: () => known.news.cluster,
    identity: () => known.identity,
    certificateLine: () => known.news.certificate,
    userCa: () => known.userCa,
    async update(news) {
      if (news.cluster !== known.news.cluster) throw new Error(`the proxy belongs to the cluster "${news.cluster}"`)
      const next = parseNews({ ...known.news, ...news }, privateKey)
      if (JSON.stringify(next.news) === JSON.stringify(known.news)) return
      await writePrivateFile(file, `${JSON.stringify(next.news, undefined, 2)}\n`)
      known = next
    },
  }
}
