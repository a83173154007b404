/** Programs of the system that tests use, and where Debian puts those that are not in the PATH. */
import { existsSync, globSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const places = {
  chromium: ['chromium', 'chromium-browser', 'google-chrome'],
  sshd: ['sshd', '/usr/sbin/sshd'],
  ssh: ['ssh'],
  'ssh-keygen': ['ssh-keygen'],
  initdb: ['/usr/lib/postgresql/*/bin/initdb', 'initdb'],
  psql: ['psql'],
  pgbench: ['/usr/lib/postgresql/*/bin/pgbench', 'pgbench'],
  mariadbd: ['mariadbd', '/usr/sbin/mariadbd'],
  'mariadb-install-db': ['mariadb-install-db'],
  mariadb: ['mariadb'],
  dropbear: ['dropbear', '/usr/sbin/dropbear'],
  dropbearkey: ['dropbearkey'],
  scp: ['scp'],
  sftp: ['sftp'],
  rsync: ['rsync'],
  ansible: ['ansible'],
  bash: ['bash'],
  vim: ['vim'],
  tmux: ['tmux'],
  htop: ['htop'],
  curl: ['curl'],
  openssl: ['openssl'],
  kubectl: ['kubectl'],
  etcd: ['etcd'],
  bpftrace: ['bpftrace', '/usr/sbin/bpftrace'],
  ip: ['ip', '/usr/sbin/ip', '/sbin/ip'],
  xrdp: ['xrdp', '/usr/sbin/xrdp'],
  'xrdp-chansrv': ['xrdp-chansrv', '/usr/sbin/xrdp-chansrv'],
  Xvnc: ['Xvnc'],
  vncpasswd: ['tigervncpasswd', 'vncpasswd'],
  xterm: ['xterm'],
  Xvfb: ['Xvfb'],
  xauth: ['xauth'],
  xdpyinfo: ['xdpyinfo'],
  'freerdp-shadow-cli': ['freerdp-shadow-cli'],
  'winpr-hash': ['winpr-hash'],
  swtpm: ['swtpm'],
  tpm2_sign: ['tpm2_sign'],
  exim4: ['exim4', '/usr/sbin/exim4'],
} as const
export type Program = keyof typeof places

/** Debian's package that holds a program. */
export const packageOf: Record<Program, string> = {
  chromium: 'chromium',
  sshd: 'openssh-server',
  ssh: 'openssh-client',
  'ssh-keygen': 'openssh-client',
  initdb: 'postgresql',
  psql: 'postgresql-client',
  pgbench: 'postgresql',
  mariadbd: 'mariadb-server-core',
  'mariadb-install-db': 'mariadb-server-core',
  mariadb: 'mariadb-client-core',
  dropbear: 'dropbear-bin',
  dropbearkey: 'dropbear-bin',
  scp: 'openssh-client',
  sftp: 'openssh-client',
  rsync: 'rsync',
  ansible: 'ansible-core',
  bash: 'bash',
  vim: 'vim',
  tmux: 'tmux',
  htop: 'htop',
  curl: 'curl',
  openssl: 'openssl',
  kubectl: 'kubernetes-client',
  etcd: 'etcd-server',
  bpftrace: 'bpftrace',
  ip: 'iproute2',
  xrdp: 'xrdp',
  'xrdp-chansrv': 'xrdp',
  Xvnc: 'tigervnc-standalone-server',
  vncpasswd: 'tigervnc-tools',
  xterm: 'xterm',
  Xvfb: 'xvfb',
  xauth: 'xauth',
  xdpyinfo: 'x11-utils',
  'freerdp-shadow-cli': 'freerdp2-shadow-x11',
  'winpr-hash': 'winpr-utils',
  swtpm: 'swtpm',
  tpm2_sign: 'tpm2-tools',
  exim4: 'exim4-daemon-light',
}

/** Where a program lies, undefined when it is not installed. */
export function findProgram(program: Program): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  for (const place of places[program]) {
    const found = place.startsWith('/')
      ? globSync(place).toSorted().at(-1)
      : folders.map((folder) => join(folder, place)).find((path) => existsSync(path))
    if (found) return found
  }
  return undefined
}

/** Why a test that needs a program is skipped: undefined when the program is there. */
export function whyNoProgram(program: Program): string | undefined {
  return findProgram(program) ? undefined : `${program} is not installed (Debian's package ${packageOf[program]})`
}

export function requireProgram(program: Program): string {
  const path = findProgram(program)
  if (!path) throw new Error(`${whyNoProgram(program)}: install it, or run npm test as root`)
  return path
}
