import { adminCalls } from '@sallyport/wire/admin.ts'
import { ask } from '../admin-client.ts'
import { CommandError } from '../command-error.ts'
import { dataDirOf } from '../data-dir.ts'

export async function restart(options: { dataDir?: string }): Promise<void> {
  const dataDir = dataDirOf(options)
  // Whoever does not run needs a start, and is told so.
  await ask(dataDir, adminCalls.status, undefined)
  try {
    await ask(dataDir, adminCalls.restart, undefined)
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    throw new CommandError(`The proxy was not restarted and goes on as before: ${error.message}`, { cause: error })
  }
  const { version, publicUrl, generations } = await ask(dataDir, adminCalls.status, undefined)
  console.log(`Restarted: ${publicUrl}/web is served by version ${version}.`)
  const kept = generations.slice(0, -1).reduce((sum, { sessions }) => sum + sessions, 0)
  if (kept > 0)
    console.log(
      `${kept} ${kept === 1 ? 'session goes' : 'sessions go'} on in the process of before; \`sallyport status\` tells how many are left.`,
    )
}
