/** The clusters that one may enter: one's own and its leaves. */
import { clusterListSubsystem, nativeClusters } from '@sallyport/wire/native-ssh.ts'
import type { NativeCluster } from '@sallyport/wire/native-ssh.ts'
import { CommandError } from '../command-error.ts'
import { saveProfile } from '../key-files.ts'
import { canNameCluster, sshConfig } from '../ssh-config.ts'
import { canConnect, printTable, readAccess, readList, requireProfile, signedIn } from './ssh.ts'

export const readClusters = (): Promise<NativeCluster[]> => readList(nativeClusters, clusterListSubsystem, {})

export async function listClusters({ format = 'text' }: { format?: string }): Promise<void> {
  const clusters = await readClusters()
  // The own one is told first.
  const current = (await requireProfile()).leaf ?? clusters[0]?.name
  if (format === 'json') {
    const rows = clusters.map((cluster) => ({ ...cluster, current: cluster.name === current }))
    return console.log(JSON.stringify(rows, undefined, 2))
  }
  printTable([['Cluster', 'Status', 'Current'], ...clusters.map(({ name, status }) => [name, status, name === current ? '*' : ''])])
}

/** From now on commands are about this one. */
export async function chooseCluster(name: string): Promise<void> {
  const profile = await signedIn()
  const { cluster: own } = await readAccess(profile)
  const found = (await readClusters()).find((cluster) => cluster.name === name)
  if (!found) throw new CommandError(`There is no cluster "${name}" that you may enter. "sallyport clusters" shows those that there are.`)
  await saveProfile({ ...profile, leaf: name === own ? undefined : name })
  console.log(`Commands are about the cluster ${name} from now on${found.status === 'online' ? '' : `, which is ${found.status}`}.`)
  console.log('For a single command name another one with --cluster.')
}

/** Prints the configuration for ~/.ssh/config, with a pattern for each leaf that is online. */
export async function printConfig(): Promise<void> {
  const profile = await requireProfile()
  const access = await readAccess(profile)
  // Whoever is away or signed out has the rest of it all the same.
  const clusters = (await canConnect(profile)) ? await readClusters().catch(() => undefined) : undefined
  if (!clusters) console.error('Servers of leaf clusters are left out: sign in, and run this again where the proxy is reached over SSH.')
  const leaves = (clusters ?? []).filter(({ name, status }) => name !== access.cluster && status === 'online' && canNameCluster(name))
  process.stdout.write(sshConfig(access, [access.cluster, ...leaves.map(({ name }) => name)].map((name) => `*.${name}`).join(' ')))
}
