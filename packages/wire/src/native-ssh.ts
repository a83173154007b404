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

/** In place of a server's name: a TCP application. No server has such a name. */
const appPrefix = 'app='
export const nativeAppHost = (name: string): string => appPrefix + name
/** The name of the application; undefined for what is a server's name. */
export const nativeAppName = (host: string): string | undefined => (host.startsWith(appPrefix) ? host.slice(appPrefix.length) : undefined)
