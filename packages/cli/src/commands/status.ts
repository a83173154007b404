import { adminCalls } from '@sallyport/wire/admin.ts'
import { ask } from '../admin-client.ts'
import { dataDirOf } from '../data-dir.ts'

export async function showStatus(options: { dataDir?: string }): Promise<void> {
  const status = await ask(dataDirOf(options), adminCalls.status, undefined)
  const lines = {
    Console: status.publicUrl,
    Cluster: status.clusterName,
    Version: status.version,
    Running: spanSince(status.started),
    Servers: status.nodes,
  }
  for (const [name, value] of Object.entries(lines)) console.log(`${name.padEnd(9)} ${value}`)
  const retired = status.generations.slice(0, -1)
  for (const { sessions, version, started } of retired)
    console.log(
      `Retired   ${sessions} ${sessions === 1 ? 'session goes' : 'sessions go'} on in a process of before (version ${version}, ${spanSince(started)} old)`,
    )
}

const spanSince = (started: string): string => span((Date.now() - Date.parse(started)) / 1000)

/** "2 d 4 h", "3 h 7 min", "12 s": the two largest units. */
export function span(seconds: number): string {
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [Math.floor(seconds) % 60, 's'],
  ]
  const first = parts.findIndex(([count]) => count > 0)
  const shown = first === -1 ? parts.slice(-1) : parts.slice(first, first + 2)
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ')
}
