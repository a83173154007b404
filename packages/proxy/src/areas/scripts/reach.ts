/** What a machine that is no server itself is to reach, as the install script is told. Each function answers with a text for what it refuses. */
import { dialTargetOf } from '@sallyport/wire/tunnel.ts'

export interface Reach {
  /** Options of the agent's `join`, each with its value behind a space. */
  asked?: readonly string[]
  /** What `agent.json` has then, to find out whether an agent reaches it already. */
  knownBy?: string
  /** Name for the cluster that kubectl reaches from the machine. */
  kube?: string
}

/** It becomes part of a host name. */
const appName = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/
const appUri = /^(https?|tcp):\/\/[-\w/:.[\]]+$/
const resourceName = /^[a-zA-Z0-9]([a-zA-Z0-9._-]{0,253}[a-zA-Z0-9])?$/

export function reachApp({ name, uri }: { name: string; uri: string }): Reach | string {
  if (!appName.test(name)) return 'error, the name of an application is made of lowercase letters, digits and dashes'
  if (!appUri.test(uri) || dialTargetOf(uri) === undefined)
    return 'error, the address of an application is a full one, such as http://localhost:3000'
  return { asked: [`app ${name}=${uri}`], knownBy: `"${uri}"` }
}

export function reachDesktop({ name, addr }: { name: string; addr: string }): Reach | string {
  if (!resourceName.test(name)) return 'error, the name of a desktop is made of letters, digits, dots and dashes'
  const uri = `rdp://${addr}`
  if (dialTargetOf(uri) === undefined || addr.includes('/'))
    return 'error, the address of a desktop is a host, or host:port, such as 10.0.0.9'
  return { asked: [`desktop ${name}=${addr}`], knownBy: `"${uri}"` }
}

export function reachCluster({ name }: { name: string }): Reach | string {
  if (!resourceName.test(name)) return 'error, the name of a cluster is made of letters, digits, dots and dashes'
  return { kube: name, knownBy: '"kube_cluster"' }
}

/** Those whose documents have the labels. Without any the agent joins, and is told in its agent.json which. */
export function reachDatabases(matchers: Readonly<Record<string, readonly string[]>>): Reach | string {
  const pairs = Object.entries(matchers).flatMap(([label, values]) => values.map((value) => [label, value] as const))
  if (pairs.some(([label, value]) => label === '' || label.includes('=') || /[\0\r\n]/.test(label + value)))
    return 'error, a label of databases has to be on one line, and its name without an equals sign'
  const asked = pairs.map(([label, value]) => `databases ${label}=${value}`)
  return { asked: asked.length > 0 ? asked : ['databases '], knownBy: '"databases"' }
}
