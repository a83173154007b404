/** A file on a server, over SFTP where the server has it, else over its scp. */
import type { SshConnection } from '../client.ts'
import { openSftp } from '../sftp.ts'
import type { Sftp } from '../sftp.ts'
import { SshError } from '../ssh-error.ts'

/** SFTP on a channel of its own; undefined where the server has none. Rejects with SshError. */
export async function sftpOf(connection: SshConnection): Promise<Sftp | undefined> {
  try {
    return await openSftp(await connection.subsystem('sftp'))
  } catch (error) {
    if (error instanceof SshError && error.code === 'channel-refused') return undefined
    throw error
  }
}
