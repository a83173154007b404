/** The commands about servers, and about the clusters that they are of. */
import { Option } from 'commander'
import type { Command } from 'commander'

export const ofCluster = (): Option => new Option('--cluster <name>', 'your own cluster or a leaf of it (default: the current one)')

export function addSshCommands(sallyport: Command): void {
  for (const name of ['ssh', 'scp'] as const)
    sallyport
      .command(name)
      .argument('[args...]', `what ${name} itself takes, such as ${name === 'ssh' ? 'root@web-1 uptime' : 'file root@web-1:/tmp'}`)
      .usage(`[--headless] [--cluster=<name>] [options of ${name}] ${name === 'ssh' ? '[login@]server [command]' : 'source target'}`)
      .allowUnknownOption()
      .passThroughOptions()
      .helpOption(false)
      .description(
        `OpenSSH's ${name} through the proxy. First, if wanted: --headless, a key in your browser confirms this one session; --cluster, whose servers are meant`,
      )
      .action(async (args: string[]) => {
        const { runOpenSsh } = await import('./commands/ssh.ts')
        await runOpenSsh(name, args)
      })
  sallyport
    .command('ls')
    .option('--format <form>', 'text or json')
    .addOption(ofCluster())
    .description('list the servers that you may reach')
    .action(async (options: { format?: string; cluster?: string }) => {
      const { listServers } = await import('./commands/ssh.ts')
      await listServers(options)
    })
  sallyport
    .command('clusters')
    .option('--format <form>', 'text or json')
    .description('list your own cluster and its leaves; "sallyport login <name>" makes one the current one')
    .action(async (options: { format?: string }) => {
      const { listClusters } = await import('./commands/clusters.ts')
      await listClusters(options)
    })
  sallyport
    .command('config')
    .description('print the configuration for ~/.ssh/config, for ssh, scp, rsync, Ansible and editors')
    .action(async () => {
      const { printConfig } = await import('./commands/clusters.ts')
      await printConfig()
    })
}
