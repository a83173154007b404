/** A machine that works with the cluster on its own: it shows its token, and gets certificates for an hour at most. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { ping } from '@sallyport/wire/calls/bootstrap.ts'
import { joinBot } from '@sallyport/wire/calls/join.ts'
import { CommandError } from '../command-error.ts'
import { saveKeys } from '../key-files.ts'
import { callProxy, originOf } from '../proxy-client.ts'
import { newKey, report, sshOf } from './login.ts'

export interface JoinBotOptions {
  proxy: string
  tokenFile: string
  /** Seconds. */
  ttl?: number
}

export async function joinAsBot(name: string, { proxy, tokenFile, ttl = 0 }: JoinBotOptions): Promise<void> {
  const origin = originOf(proxy)
  const token = await readToken(tokenFile)
  const key = newKey()
  const pub_key = Buffer.from(key.publicKey).toString('base64')
  const answer = await callProxy(origin, joinBot, { body: { token, bot: name, pub_key, ttl: ttl * 1e9 } })
  const pong = await callProxy(origin, ping)
  const profile = { origin, user: answer.username, ...sshOf(pong, origin), requests: [], bot: { name, tokenFile: resolve(tokenFile) } }
  report(profile, await saveKeys(profile, key, answer), answer)
}

async function readToken(file: string): Promise<string> {
  const token = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new CommandError(`The token cannot be read from ${file}.`, { cause })
  })
  if (token.trim() === '') throw new CommandError(`There is no token in ${file}.`)
  return token.trim()
}
