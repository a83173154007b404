import { adminCalls } from '@sallyport/wire/admin.ts'
import { ask } from '../admin-client.ts'
import { dataDirOf } from '../data-dir.ts'

export async function addToken(options: { roles: string[]; ttl: number; dataDir?: string }): Promise<void> {
  const { token, expires } = await ask(dataDirOf(options), adminCalls.addToken, { roles: options.roles, ttl: options.ttl })
  console.log(`Good until ${expires}:`)
  console.log(token)
}
