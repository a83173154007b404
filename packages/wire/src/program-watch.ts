/**
 * How a proxy has a host tell what the programs of a session do. The proxy opens the subsystem `watchSubsystem` on the
 * connection of the session, says what it wants in one line of JSON, and gets `ready` when the kernel is being listened to.
 * Sessions whose environment names the watch then begin under its eyes. When the proxy writes another line the session is
 * over: the host answers `settled` behind all that happened before, and closes when the last program of the session is gone.
 */
import * as z from 'zod/mini'

export const watchSubsystem = 'program-watch@sallyport'
/** In the environment that is asked for, never in the one that programs get: the watch that a session belongs to. */
export const watchVariable = 'SALLYPORT_WATCH'
/** Of a line, in bytes. */
export const watchLineLimit = 128 * 1024

export const programEventKinds = ['command', 'disk', 'network'] as const
export type ProgramEventKind = (typeof programEventKinds)[number]

export const watchRequestWire = z.object({ watch: z.uuid(), kinds: z.array(z.enum(programEventKinds)).check(z.maxLength(3)) })
export type WatchRequestWire = z.output<typeof watchRequestWire>

const text = z.string().check(z.maxLength(16 * 1024))
const number = z.int()

/** Hosts of before do not tell it. */
const place = { pid: z.optional(number), cgroup_id: z.optional(number) }

const commandWire = z.object({
  kind: z.literal('command'),
  ...place,
  program: text,
  path: text,
  /** Without the name by which the program was called. */
  argv: z.array(text).check(z.maxLength(4096)),
  return_code: number,
  ppid: number,
  /** Set where there was more than is told here. */
  truncated: z.optional(z.literal(true)),
})
const diskWire = z.object({ kind: z.literal('disk'), ...place, program: text, path: text, flags: number, return_code: number })
const networkWire = z.object({ kind: z.literal('network'), ...place, program: text, src_addr: text, dst_addr: text, dst_port: number })
export const programEventWire = z.discriminatedUnion('kind', [commandWire, diskWire, networkWire])
export type ProgramEventWire = z.output<typeof programEventWire>

export const watchMessageWire = z.discriminatedUnion('kind', [
  commandWire,
  diskWire,
  networkWire,
  z.object({ kind: z.literal('ready'), kinds: z.array(z.enum(programEventKinds)), missing: z.array(text).check(z.maxLength(3)) }),
  /** Events that are not told, and why; 0 where nobody knows how many. */
  z.object({ kind: z.literal('lost'), count: z.int().check(z.minimum(0)), reason: text }),
  z.object({ kind: z.literal('settled') }),
])
export type WatchMessageWire = z.output<typeof watchMessageWire>
