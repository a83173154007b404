/** What the programs of sessions do, told to the proxy. Nothing is looked at before a proxy asks for the first time. */
import type { ProgramEventKind } from '@sallyport/wire/program-watch.ts'
import type { AgentLog } from '../log.ts'
import { openControlGroups } from './control-groups.ts'
import type { ControlGroup, ControlGroups } from './control-groups.ts'
import { inspectKernel } from './kernel.ts'
import type { Kernel } from './kernel.ts'
import { KernelTrace } from './kernel-trace.ts'
import type { GroupListener } from './kernel-trace.ts'
import { fileScript, programScript } from './trace-script.ts'

/** Of one session. */
export interface ProgramWatch {
  readonly kinds: readonly ProgramEventKind[]
  /** Why of some kinds nothing is told. */
  readonly missing: readonly string[]
  /** Programs that enter it are watched; undefined where nothing is told. */
  readonly group: ControlGroup | undefined
  /** Programs that the agent itself starts on the way to what was asked for. */
  skip(programs: number): void
  settle(): Promise<void>
  /** Resolves when no program of it is left. */
  emptied(signal: AbortSignal): Promise<void>
  /** Stops listening. The group goes when it is empty. */
  close(): void
}

export interface ProgramWatches extends AsyncDisposable {
  open(name: string, kinds: readonly ProgramEventKind[], listener: GroupListener): Promise<ProgramWatch>
}

/** What this host needs for it, made once. */
interface Means {
  readonly kernel: Kernel
  readonly groups: ControlGroups
  readonly programs: KernelTrace
  readonly files: KernelTrace
}

/** Between looks at a group that somebody still uses, growing. */
const firstLook = 50
const longestLook = 5_000

const unlistened = (kinds: readonly ProgramEventKind[], reason: string): string[] => kinds.map((kind) => `${kind}: ${reason}`)

export function createProgramWatches(log: AgentLog): ProgramWatches {
  let asked: Promise<Means | string> | undefined

  async function prepare(): Promise<Means | string> {
    const kernel = await inspectKernel()
    if (typeof kernel === 'string') return kernel
    try {
      const groups = await openControlGroups()
      const parents = [groups.programs.id, groups.files.id]
      const options = { kernel, groups, log }
      const programs = new KernelTrace({
        ...options,
        script: programScript(parents, { network: kernel.canTellConnections }),
        proof: { parent: groups.programs, command: 'exec true' },
      })
      const files = new KernelTrace({
        ...options,
        script: fileScript([groups.files.id], kernel.openCalls),
        proof: { parent: groups.files, command: ': < /dev/null' },
      })
      return { kernel, groups, programs, files }
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  async function open(name: string, wanted: readonly ProgramEventKind[], listener: GroupListener): Promise<ProgramWatch> {
    asked ??= prepare()
    const means = await asked
    if (typeof means === 'string') return deaf(unlistened(wanted, means))
    const { kernel, groups } = means
    const missing: string[] = []
    const kinds = new Set(wanted)
    const drop = (kind: ProgramEventKind, reason: string): void => {
      if (kinds.delete(kind)) missing.push(`${kind}: ${reason}`)
    }
    if (!kernel.canTellConnections) drop('network', 'the kernel has no event for it')
    if (kernel.openCalls.length === 0) drop('disk', 'the kernel has no events for calls that open files (CONFIG_FTRACE_SYSCALLS)')
    const [ofPrograms, ofFiles] = await Promise.all([
      kinds.has('command') || kinds.has('network') ? means.programs.listen() : undefined,
      kinds.has('disk') ? means.files.listen() : undefined,
    ])
    if (ofPrograms !== undefined) for (const kind of ['command', 'network'] as const) drop(kind, ofPrograms)
    if (ofFiles !== undefined) drop('disk', ofFiles)
    if (kinds.size === 0) return deaf(missing)
    const group = await groups.make(kinds.has('disk') ? groups.files : groups.programs, name)
    let own = 0
    const chosen: GroupListener = {
      lost: listener.lost,
      event(event) {
        if (own > 0 && event.kind === 'command' && event.ppid === process.pid) own -= 1
        else if (kinds.has(event.kind)) listener.event(event)
      },
    }
    const traces = [...(kinds.has('command') || kinds.has('network') ? [means.programs] : []), ...(kinds.has('disk') ? [means.files] : [])]
    const subscriptions = traces.map((trace) => trace.subscribe(group, chosen))
    return {
      kinds: [...kinds],
      missing,
      group,
      skip: (programs) => (own = programs),
      settle: async () => void (await Promise.all(traces.map((trace) => trace.settle()))),
      emptied: (signal) => removed(groups, group, signal),
      close() {
        for (const subscription of subscriptions) subscription[Symbol.dispose]()
        void removed(groups, group)
      },
    }
  }

  return {
    open,
    async [Symbol.asyncDispose]() {
      const means = await asked
      if (means === undefined || typeof means === 'string') return
      await Promise.all([means.programs[Symbol.asyncDispose](), means.files[Symbol.asyncDispose]()])
      await means.groups[Symbol.asyncDispose]()
    },
  }
}

const deaf = (missing: readonly string[]): ProgramWatch => ({
  kinds: [],
  missing,
  group: undefined,
  skip: () => undefined,
  settle: () => Promise.resolve(),
  emptied: () => Promise.resolve(),
  close: () => undefined,
})

async function removed(groups: ControlGroups, group: ControlGroup, signal?: AbortSignal): Promise<void> {
  for (let wait = firstLook; !(await groups.remove(group)); wait = Math.min(wait * 2, longestLook)) {
    if (signal?.aborted === true) return
    await new Promise((resolve) => setTimeout(resolve, wait).unref())
  }
}
