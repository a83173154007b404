/** A command with which the old scp copies: its far end runs `scp -f` to read, `scp -t` to write. */
export interface ScpCommand {
  readonly action: 'download' | 'upload'
  readonly path: string
}

const form = /^(?:\S*\/)?scp(?<flags>(?:\s+-[A-Za-z0-9]+)+)(?:\s+--)?\s+(?<path>\S.*)$/u

export function parseScp(command: string): ScpCommand | undefined {
  const { flags = '', path = '' } = form.exec(command)?.groups ?? {}
  if (flags.includes('f')) return { action: 'download', path }
  return flags.includes('t') ? { action: 'upload', path } : undefined
}
