/** The configuration with which OpenSSH's programs go through the proxy. */
import type { KeyFiles, Profile } from './key-files.ts'

/** What stands for the proxy in the configuration. */
export const proxyAlias = (cluster: string): string => `${cluster}-proxy`

export interface SshAccess {
  profile: Profile
  cluster: string
  /** `host[:port]`. */
  address: string
  files: KeyFiles
}

/** Spaces and quotes have to be told from the end of a value. */
const quoted = (value: string): string => `"${value.replaceAll('"', String.raw`\"`)}"`

/** Names of other clusters come from them: what is more than a name has no place in a configuration. */
export const canNameCluster = (name: string): boolean => /^[a-z0-9]([\w.-]*[a-z0-9])?$/i.test(name)

/**
 * For `ssh -F`, or to be included in ~/.ssh/config. `hosts`: the patterns that lead through the proxy; names of servers
 * may carry the name of the cluster after a dot. `leaf`: the one whose servers are meant by names without it.
 */
export function sshConfig({ profile, cluster, address, files }: SshAccess, hosts: string, leaf?: string): string {
  const { hostname, port } = new URL(`ssh://${address}`)
  const alias = proxyAlias(cluster)
  return [
    `# Servers of ${cluster} (${profile.origin}) for ${profile.user}.`,
    `Host ${alias}`,
    `  HostName ${hostname.replaceAll(/[[\]]/g, '')}`,
    `  Port ${port || (profile.origin.startsWith('https:') ? 443 : 80)}`,
    `  HostKeyAlias ${cluster}`,
    `  User ${quoted(profile.user)}`,
    '  ForwardAgent no',
    `Host ${hosts} !${alias}`,
    `  ProxyJump ${alias}`,
    ...(leaf === undefined ? [] : [`  HostName %h.${leaf}`]),
    `Host ${hosts} ${alias}`,
    `  IdentityFile ${quoted(files.privateKey)}`,
    `  CertificateFile ${quoted(files.certificate)}`,
    '  IdentitiesOnly yes',
    `  UserKnownHostsFile ${quoted(files.knownHosts)}`,
    '  GlobalKnownHostsFile none',
    '  StrictHostKeyChecking yes',
    '',
  ].join('\n')
}
