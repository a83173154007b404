import { existsSync } from 'node:fs'

/** Where OpenSSH puts its SFTP server: Debian, Red Hat, SUSE and Alpine, macOS and BSD. */
const places = [
  '/usr/lib/openssh/sftp-server',
  '/usr/libexec/openssh/sftp-server',
  '/usr/lib/ssh/sftp-server',
  '/usr/libexec/sftp-server',
  '/usr/lib/sftp-server',
]

/**
 * The system's SFTP server, a program that speaks on its standard streams. It runs as the login and through its shell, as
 * commands do: what a login may do with files is up to the system, and one whose shell lets nobody in copies nothing either.
 */
export const findSftpServer = (): string | undefined => places.find((place) => existsSync(place))

export const whyNoSubsystem = (name: string): string =>
  name === 'sftp'
    ? 'SFTP was refused: this machine has no sftp-server; install openssh-sftp-server (or openssh-server)'
    : 'a subsystem was refused: only sftp is served'
