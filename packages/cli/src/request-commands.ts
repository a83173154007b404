/** `sallyport requests …`: who asks for access, and deciding about it. */
import type { Command, Option } from 'commander'

interface Options {
  dataDir?: string
}

export function addRequestCommands(
  sallyport: Command,
  { dataDir, listOf }: { dataDir: () => Option; listOf: (text: string) => string[] },
): void {
  const requests = sallyport.command('requests').alias('request').description('requests for access: list, make, decide')
  requests
    .command('ls')
    .addOption(dataDir())
    .description('list requests, the newest first')
    .action(async (options: Options) => {
      const { listRequests } = await import('./commands/requests.ts')
      await listRequests(options)
    })
  requests
    .command('create')
    .argument('<user>')
    .requiredOption('--roles <a,b>', 'roles that the user asks for', listOf)
    .option('--reason <text>', 'why', '')
    .addOption(dataDir())
    .description('ask in the name of a user, as far as their roles let them')
    .action(async (user: string, options: Options & { roles: string[]; reason: string }) => {
      const { createRequest } = await import('./commands/requests.ts')
      await createRequest(user, options)
    })
  for (const [name, state, words] of [
    ['approve', 'APPROVED', 'approve a request without its reviews'],
    ['deny', 'DENIED', 'deny a request'],
  ] as const)
    requests
      .command(name)
      .argument('<id>')
      .option('--reason <text>', 'why', '')
      .addOption(dataDir())
      .description(words)
      .action(async (id: string, options: Options & { reason: string }) => {
        const { decideRequest } = await import('./commands/requests.ts')
        await decideRequest(id, state, options)
      })
  requests
    .command('rm')
    .argument('<id>')
    .addOption(dataDir())
    .description('remove a request')
    .action(async (id: string, options: Options) => {
      const { removeRequest } = await import('./commands/requests.ts')
      await removeRequest(id, options)
    })
}
