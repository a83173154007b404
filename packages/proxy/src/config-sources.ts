/** Where settings come from: flags, then environment, then a file: the one that is named, else the one in the data directory. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(
      problems.length === 1 ? `Wrong setting: ${problems[0]}` : `Wrong settings:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    )
    this.problems = problems
  }
}

export interface SettingSources {
  flags: Readonly<Record<string, unknown>>
  env: Readonly<Record<string, string | undefined>>
}

export const environmentName = (key: string): string => `SALLYPORT_${key.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
export const flagName = (key: string): string => `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

const fileName = 'sallyport.yaml'
const fileForm = z.record(z.string(), z.unknown())

/** The raw value of every setting that is given somewhere, and how to name its origin in a message. */
export async function collectSettings(keys: readonly string[], { flags, env }: SettingSources, fallbackDataDir: () => string) {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  const origins = new Map<string, string>()
  const take = (key: string, value: unknown, origin: string): void => {
    values[key] = value
    origins.set(key, origin)
  }

  const given = (key: string): string | undefined => {
    const value = flags[key] ?? env[environmentName(key)]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const named = given('config')
  const dataDir = given('dataDir') ?? fallbackDataDir()
  values['dataDir'] = dataDir
  const file = named ?? join(dataDir, fileName)
  for (const [key, value] of Object.entries(await readSettingsFile(file, named !== undefined, problems))) {
    if (key === 'dataDir' && named === undefined)
      problems.push(`dataDir (${file}): belongs to ${flagName(key)} or ${environmentName(key)}, because the file lies in it`)
    else if (!keys.includes(key)) problems.push(`${key} (${file}): there is no such setting`)
    else take(key, value, file)
  }
  for (const key of keys) {
    const fromEnvironment = env[environmentName(key)]
    if (fromEnvironment !== undefined && fromEnvironment !== '') take(key, fromEnvironment, environmentName(key))
    if (flags[key] !== undefined) take(key, flags[key], flagName(key))
  }
  return { values, problems, origin: (key: string): string | undefined => origins.get(key) }
}

async function readSettingsFile(file: string, mustExist: boolean, problems: string[]): Promise<Record<string, unknown>> {
  let content: string
  try {
    content = await readFile(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    if (mustExist || (code !== 'ENOENT' && code !== 'ENOTDIR')) problems.push(`${file}: cannot be read (${String(code)})`)
    return {}
  }
  try {
    // Most starts have no file, so most need no parser.
    const { parse } = await import('yaml')
    const parsed = fileForm.safeParse(parse(content) ?? {})
    if (parsed.success) return parsed.data
    problems.push(`${file}: must hold settings, one "key: value" per line`)
  } catch (error) {
    problems.push(`${file}: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)}`)
  }
  return {}
}
