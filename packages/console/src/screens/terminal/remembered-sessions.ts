import * as z from 'zod/mini'

/** Where a session of this browser tab was opened, so that reloading its address after its end opens the same server. */
const rememberedWire = z.record(z.string(), z.object({ clusterId: z.string(), serverId: z.string(), login: z.string() }))
type Remembered = z.output<typeof rememberedWire>

const key = 'sallyport_console_sessions'
const limit = 50

function read(storage: Storage): Remembered {
  try {
    return rememberedWire.parse(JSON.parse(storage.getItem(key) ?? '{}'))
  } catch {
    return {}
  }
}

export function rememberSession(storage: Storage, sid: string, place: Remembered[string]): void {
  const all = Object.entries(read(storage)).filter(([known]) => known !== sid)
  try {
    storage.setItem(key, JSON.stringify(Object.fromEntries([...all, [sid, place]].slice(-limit))))
  } catch {
    return // storage may be forbidden or full; a reload then only cannot start anew
  }
}

export function recallSession(storage: Storage, sid: string): Remembered[string] | undefined {
  return read(storage)[sid]
}
