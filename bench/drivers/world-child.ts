/** The process behind world-process.ts: answers questions until its parent lets go of it. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { formatCertificate } from '@sallyport/protocols/ssh/certificate.ts'
import { parsePublicKey } from '@sallyport/protocols/ssh/keys.ts'
import { NativeClient } from '@sallyport/testkit/native-client.ts'
import { ownLogin, roles } from '@sallyport/testkit/people.ts'
import { requireProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld, sshdHostname, type World } from '@sallyport/testkit/world.ts'
import { update as updateUser } from '@sallyport/wire/calls/users.ts'
import type { Answers, Identity, Place, SshAccess, Usage } from './world-process.ts'

const ended = once(process, 'disconnect')
const hours = 3600

function cpu(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

function threadCpu(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1e6
}

function usage(): Usage {
  const cpuSeconds = cpu() // before the collection, which the bench itself causes
  for (let round = 0; round < 3; round += 1) globalThis.gc?.()
  const { rss, heapUsed } = process.memoryUsage()
  return { rss, heap: heapUsed, cpuSeconds }
}

function identity({ proxy: { authorities } }: World): Identity {
  const { privateKey, certificate } = authorities.issueUserCertificate({ keyId: 'bench', principals: [ownLogin], ttlSeconds: hours })
  return {
    privateKey: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    certificate: formatCertificate(certificate),
    hostCa: authorities.hostCa.publicLine,
    hostName: sshdHostname,
  }
}

/** A key with a certificate of the cluster, and a configuration with which OpenSSH's client uses them. */
async function sshAccess({ proxy: { authorities }, sshd, dataDir }: World): Promise<SshAccess> {
  if (!sshd) throw new Error('there is no OpenSSH server')
  const keyFile = join(dataDir, 'bench-key')
  const knownHostsFile = join(dataDir, 'bench-known-hosts')
  const configFile = join(dataDir, 'bench-ssh-config')
  const made = spawnSync(requireProgram('ssh-keygen'), ['-q', '-t', 'ed25519', '-N', '', '-f', keyFile], { encoding: 'utf8' })
  if (made.status !== 0) throw new Error(`ssh-keygen failed: ${made.stderr}`)
  const seconds = Math.floor(Date.now() / 1000)
  const certificate = authorities.userCa.sign(parsePublicKey(await readFile(`${keyFile}.pub`, 'utf8')), {
    keyId: 'bench',
    serial: 1n,
    principals: [ownLogin],
    validAfter: seconds - hours,
    validBefore: seconds + hours,
    extensions: { 'permit-pty': '', 'permit-port-forwarding': '' },
    criticalOptions: {},
  })
  await writeFile(`${keyFile}-cert.pub`, `${formatCertificate(certificate)}\n`)
  await writeFile(knownHostsFile, `@cert-authority * ${authorities.hostCa.publicLine}\n`)
  const settings = {
    HostName: sshd.host,
    Port: sshd.port,
    User: ownLogin,
    HostKeyAlias: sshdHostname,
    UserKnownHostsFile: knownHostsFile,
    GlobalKnownHostsFile: 'none',
    StrictHostKeyChecking: 'yes',
    IdentityFile: keyFile,
    IdentitiesOnly: 'yes',
    IdentityAgent: 'none',
    // The fastest, and what the proxy asks for as well.
    Ciphers: 'aes128-gcm@openssh.com',
    // Without an exchange for quantum computers, which doubles the time of a sign-in and which the proxy does not have.
    KexAlgorithms: 'curve25519-sha256',
    LogLevel: 'ERROR',
  }
  await writeFile(configFile, ['Host *', ...Object.entries(settings).map(([name, value]) => `  ${name} ${value}`), ''].join('\n'))
  return { id: sshd.id, host: sshd.host, port: sshd.port, configFile, keyFile, knownHostsFile }
}

await using world = await createWorld({ people: ['alice'] })
const client = await world.signIn('alice')
await client.call(updateUser, { body: { name: 'alice', roles: [...roles.alice], traits: { windowsLogins: ['bench'] } } })
await using native = await NativeClient.create(world)
const place: Place = {
  origin: world.url,
  dataDir: world.dataDir,
  cookie: client.cookieHeader,
  bearer: client.bearer ?? '',
  cluster: world.cluster,
  login: ownLogin,
  ssh: await sshAccess(world),
  native: { configFile: native.config, host: sshdHostname },
}
const answers: { [Q in keyof Answers]: () => Answers[Q] } = { place: () => place, usage, cpu, threadCpu, identity: () => identity(world) }
process.on('message', (question: keyof Answers) => process.send?.(answers[question]()))
await ended
