/** What the command line asks of the proxy over SSH. */
import * as z from 'zod/mini'

/** What stands behind the name of a database where SSH clients ask for one, such as `ssh -L 5432:orders.db:5432`. */
export const nativeDatabaseSuffix = '.db'

/** Subsystem that answers with one line: the servers that one may reach, as JSON. */
export const nodeListSubsystem = 'nodes@sallyport'

export const nativeNodes = z.array(
  z.object({
    id: z.string(),
    hostname: z.string(),
    /** Empty behind a tunnel. */
    addr: z.string(),
    labels: z.record(z.string(), z.string()),
    /** Those that the roles allow there. */
    logins: z.array(z.string()),
  }),
)
export type NativeNode = z.output<typeof nativeNodes>[number]

/** The same for databases. */
export const databaseListSubsystem = 'databases@sallyport'

export const nativeDatabases = z.array(
  z.object({
    name: z.string(),
    protocol: z.string(),
    /** Who hosts it and what it speaks, for people. */
    title: z.string(),
    /** Those that the roles allow there. May hold `*`. */
    users: z.array(z.string()),
    names: z.array(z.string()),
  }),
)
export type NativeDatabase = z.output<typeof nativeDatabases>[number]

/** The same for clusters: this one first, then its leaves. */
export const clusterListSubsystem = 'clusters@sallyport'

export const nativeClusters = z.array(
  z.object({
    name: z.string(),
    /** `online` or `offline`. */
    status: z.string(),
  }),
)
export type NativeCluster = z.output<typeof nativeClusters>[number]

/** What is listed by a jump as well: so the lists of a leaf are read. */
export const nativeLists = ['nodes', 'databases', 'kubes'] as const
export type NativeList = (typeof nativeLists)[number]

/** In place of a server's name: a list, answered with one line. No server has such a name. */
const listPrefix = 'list='
export const nativeListHost = (list: NativeList): string => listPrefix + list
/** Undefined for what is no list. */
export const nativeListName = (host: string): NativeList | undefined => nativeLists.find((list) => host === listPrefix + list)

/** In place of a server's name: a TCP application. No server has such a name. */
const appPrefix = 'app='
export const nativeAppHost = (name: string): string => appPrefix + name
/** The name of the application; undefined for what is a server's name. */
export const nativeAppName = (host: string): string | undefined => (host.startsWith(appPrefix) ? host.slice(appPrefix.length) : undefined)

/** In place of a server's name: what kubectl speaks, without its TLS. No server has such a name. */
export const nativeKubeHost = 'kube='

/** Whether it is the name of a server, or of what else listens. */
export const namesServer = (host: string): boolean =>
  host !== nativeKubeHost && ![appPrefix, listPrefix].some((prefix) => host.startsWith(prefix))
