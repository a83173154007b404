/** Installs the programs that tests use, where this may be done, and tells what is missing otherwise. */
import { existsSync, writeFileSync } from 'node:fs'
import { findProgram, packageOf, type Program } from '@sallyport/testkit/targets/programs.ts'
import { passes } from './steps.ts'

const needed = Object.keys(packageOf) as Program[]

/** Answers one sentence per program that is still missing. */
export async function installPrograms(): Promise<string[]> {
  // It would take the place of whatever sends this machine's mail.
  const isWelcome = (program: Program): boolean => program !== 'exim4' || !existsSync('/usr/sbin/sendmail')
  const missing = needed.filter((program) => !findProgram(program) && isWelcome(program))
  if (missing.length > 0 && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get'))
    await install([...new Set(missing.map((program) => packageOf[program]))])
  return needed
    .filter((program) => !findProgram(program))
    .map((program) => `tests that use ${program} are skipped: install ${packageOf[program]} to run them`)
}

async function install(programs: string[]): Promise<void> {
  // A browser without any font of the system draws boxes for what the console's own fonts lack.
  const packages = programs.includes('chromium') ? [...programs, 'fonts-dejavu-core'] : programs
  const quiet = ['-o', 'Dpkg::Use-Pty=0', '-o', 'DPkg::Lock::Timeout=300']
  process.env['DEBIAN_FRONTEND'] = 'noninteractive'
  // Without this the package would create and start a server of the system's, which the tests have no use for.
  const clusterSettings = '/etc/postgresql-common/createcluster.conf'
  if (packages.includes('postgresql') && existsSync('/etc/postgresql-common') && !existsSync(clusterSettings))
    writeFileSync(clusterSettings, 'create_main_cluster = false\n')
  console.log(`Installing ${packages.join(', ')} ...`)
  const ready = await passes({ name: 'package lists', program: 'apt-get', args: ['update', '-q', ...quiet] })
  if (ready)
    await passes({ name: 'packages', program: 'apt-get', args: ['install', '-y', '-q', '--no-install-recommends', ...quiet, ...packages] })
}
