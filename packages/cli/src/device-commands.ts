/** `sallyport device …`: this machine as a trusted device. */
import type { Command } from 'commander'

export function addDeviceCommands(sallyport: Command): void {
  sallyport
    .command('device')
    .description('this machine as a trusted device')
    .command('enroll')
    .option('--token <token>', 'the enroll token that an administrator made (default: asked for)')
    .description('enroll this machine with a key in its TPM 2.0; each sign-in here proves the device from then on')
    .action(async (options: { token?: string }) => {
      const { enrollDevice } = await import('./commands/device.ts')
      await enrollDevice(options)
    })
}
