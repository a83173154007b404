/** Flags, settings and docs/configuration.md name the same things. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { settings } from '@sallyport/proxy/config.ts'
import { clusterFields } from '@sallyport/proxy/config-cluster.ts'
import { environmentName, flagName } from '@sallyport/proxy/config-sources.ts'
import { authPreferenceDocument, networkingDocument, sessionRecordingDocument } from '@sallyport/proxy/core/cluster/cluster-documents.ts'
import { program } from './program.ts'

const keys = Object.keys(settings.shape)
/** Names the file of settings, so it is not one of them. */
const ownFlag = '--config'
/** Who lists the programs of a machine reads their flags, so a secret has none. */
const secrets = new Set(['assistKey'])

test('every setting is a flag of start, and every flag a setting', () => {
  const start = program().commands.find((command) => command.name() === 'start')
  const flags = start?.options.map(({ long }) => long).filter((flag) => flag !== ownFlag)
  expect(flags?.toSorted()).toEqual(
    keys
      .filter((key) => !secrets.has(key))
      .map(flagName)
      .toSorted(),
  )
})

/** Cells of every row whose first cell is a name in code. */
async function documented(): Promise<string[][]> {
  const text = await readFile(join(import.meta.dirname, '../../../docs/configuration.md'), 'utf8')
  const rows = text.split('\n').filter((line) => line.startsWith('| `'))
  return rows.map((row) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

const clusterDefaults = {
  cluster_auth_preference: authPreferenceDocument.complete({}),
  cluster_networking_config: networkingDocument.complete({}),
  session_recording_config: sessionRecordingDocument.complete({}),
}
const isClusterKey = (key: string): key is keyof typeof clusterFields => key in clusterFields

function defaultOf(key: string): unknown {
  if (isClusterKey(key)) {
    const [kind, field] = clusterFields[key]
    return (clusterDefaults[kind] as Record<string, unknown>)[field]
  }
  return (settings.parse({ dataDir: '/' }) as Record<string, unknown>)[key]
}

test('docs/configuration.md lists every setting with its flag, variable and default, and nothing else', async () => {
  const rows = await documented()
  expect(rows.map(([key]) => key).toSorted()).toEqual(keys.map((key) => `\`${key}\``).toSorted())
  const said = new Map(rows.map(([key = '', flag, variable, value]) => [key.replaceAll('`', ''), { flag, variable, value }]))
  // Their defaults depend on the machine, or are written as times.
  const inWords = new Set(['dataDir', 'consoleDir', 'agentDir', 'listen', 'reconnectTime', 'retireAfter'])
  for (const key of keys) {
    const found = said.get(key)
    expect(found, key).toMatchObject({ flag: secrets.has(key) ? '' : `\`${flagName(key)}\``, variable: `\`${environmentName(key)}\`` })
    const value = defaultOf(key)
    if (!inWords.has(key)) expect(found?.value, key).toBe(value === undefined || value === '' ? '' : `\`${String(value)}\``)
  }
})
