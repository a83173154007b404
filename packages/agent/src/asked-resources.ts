/** What `join` is told on the command line that this machine reaches for others. */
import { resolve } from 'node:path'
import type { ParseArgsOptionsConfig } from 'node:util'
import { AgentError } from './agent-error.ts'

/** Each of them makes a machine that is no server itself. */
export const resourceOptions = {
  app: { type: 'string', multiple: true, default: [] },
  desktop: { type: 'string', multiple: true, default: [] },
  kube: { type: 'string' },
  'kube-token-file': { type: 'string' },
  'kube-ca-file': { type: 'string' },
  databases: { type: 'string', multiple: true, default: [] },
} as const satisfies ParseArgsOptionsConfig

export const resourceHelp = `\
  --app NAME=URI       an application that is reached through this machine, which is no server then; again for more
  --desktop NAME=HOST  a desktop, likewise
  --kube NAME=URL      a Kubernetes cluster, likewise, with --kube-token-file and --kube-ca-file for its API
  --databases a=b      databases with this label, likewise; again for more labels, which all have to be there, or more values of one`

interface Asked {
  app: string[]
  desktop: string[]
  kube?: string | undefined
  'kube-token-file'?: string | undefined
  'kube-ca-file'?: string | undefined
  databases: string[]
}

/** The settings for it; empty for a machine that is a server. Throws AgentError. */
export function settingsOfAsked(asked: Asked): { ssh?: false; resources?: object[]; databases?: Record<string, string[]> } {
  const { app, desktop, kube, databases } = asked
  const resources = [
    ...app.map((text) => ({ kind: 'app', ...named('app', text, 'wiki=http://localhost:3000') })),
    ...desktop.map((text) => {
      const { name, uri } = named('desktop', text, 'office=10.0.0.9')
      return { kind: 'windows_desktop', name, uri: `rdp://${uri}` }
    }),
    ...(kube === undefined ? [] : [clusterOf(kube, asked)]),
  ]
  return {
    ...((resources.length > 0 || databases.length > 0) && { ssh: false }),
    ...(resources.length > 0 && { resources }),
    ...(databases.length > 0 && { databases: matchersOf(databases) }),
  }
}

function clusterOf(text: string, { 'kube-token-file': token, 'kube-ca-file': ca }: Asked): object {
  const spec = { ...(token !== undefined && { token_file: resolve(token) }), ...(ca !== undefined && { ca_file: resolve(ca) }) }
  return { kind: 'kube_cluster', ...named('kube', text, 'prod=https://10.0.0.1:6443'), spec }
}

function named(option: string, text: string, example: string): { name: string; uri: string } {
  const at = text.indexOf('=')
  if (at <= 0) throw new AgentError(`--${option}: "${text}" is none; write name=address, such as ${example}.`)
  return { name: text.slice(0, at), uri: text.slice(at + 1) }
}

/** An empty text stands for no label: a machine that is to serve databases, and is told later which. */
function matchersOf(texts: readonly string[]): Record<string, string[]> {
  const values = new Map<string, string[]>()
  for (const text of texts.filter((each) => each !== '')) {
    const at = text.indexOf('=')
    if (at <= 0) throw new AgentError(`--databases: "${text}" is no label; write name=value, such as env=prod.`)
    const name = text.slice(0, at)
    values.set(name, [...(values.get(name) ?? []), text.slice(at + 1)])
  }
  return Object.fromEntries(values)
}
