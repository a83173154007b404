/** What a conversation shows, made of what is kept of it. */
import { commandPayload, messageTypes, resultPayload, summaryPayload } from '@sallyport/wire/entities/assistant.ts'
import type { CommandProposal, CommandResult, MessageWire } from '@sallyport/wire/entities/assistant.ts'
import type { CommandRun } from './command-run.ts'

export type Entry = { id: number; at: Date | undefined } & (
  | { kind: 'user' | 'assistant' | 'error'; text: string }
  | { kind: 'command'; proposal: CommandProposal }
  /** What ran before this page was there. */
  | { kind: 'ran'; execution: string; results: CommandResult[]; command: string; summary: string }
  | { kind: 'run'; run: CommandRun }
)
/** An entry before it has its place. */
export type NewEntry = Entry extends infer E ? (E extends Entry ? Omit<E, 'id' | 'at'> : never) : never

/** The entries of a history. Types and payloads that are not understood are left out. */
export function toEntries(history: readonly MessageWire[]): Entry[] {
  const entries: Entry[] = []
  const runs = new Map<string, Extract<Entry, { kind: 'ran' }>>()
  const runOf = (execution: string, at: Date | undefined) => {
    let run = runs.get(execution)
    if (!run) {
      run = { id: entries.length, at, kind: 'ran', execution, results: [], command: '', summary: '' }
      runs.set(execution, run)
      entries.push(run)
    }
    return run
  }
  for (const { type, payload, created_time } of history) {
    const at = dateOf(created_time)
    const id = entries.length
    if (type === messageTypes.user) entries.push({ id, at, kind: 'user', text: payload })
    else if (type === messageTypes.assistant) entries.push({ id, at, kind: 'assistant', text: payload })
    else if (type === messageTypes.command) {
      const proposal = readPayload(commandPayload, payload)
      if (proposal) entries.push({ id, at, kind: 'command', proposal })
    } else if (type === messageTypes.result) {
      const result = readPayload(resultPayload, payload)
      if (result) runOf(result.execution_id, at).results.push(result)
    } else if (type === messageTypes.summary) {
      const summary = readPayload(summaryPayload, payload)
      if (summary) Object.assign(runOf(summary.execution_id, at), { command: summary.command, summary: summary.summary })
    }
  }
  return entries
}

export function dateOf(text: string): Date | undefined {
  const date = new Date(text)
  return Number.isNaN(date.getTime()) ? undefined : date
}

/** Undefined where it is not of the form. */
export function readPayload<T>(form: { safeParse(value: unknown): { data?: T | undefined } }, payload: string): T | undefined {
  try {
    return form.safeParse(JSON.parse(payload)).data
  } catch {
    return undefined // no JSON
  }
}

/** The servers of a proposal, as the lists of servers are asked for them. */
export function queryOf({ nodes, labels }: Pick<CommandProposal, 'nodes' | 'labels'>): string {
  const names = nodes.map((node) => `name == ${JSON.stringify(node)}`)
  const all = labels.map(({ key, value }) => `labels[${JSON.stringify(key)}] == ${JSON.stringify(value)}`).join(' && ')
  return [...names, ...(all === '' ? [] : [names.length > 0 && labels.length > 1 ? `(${all})` : all])].join(' || ')
}

/** What changes or destroys something, as far as one can tell: these are confirmed by typing. */
const risky =
  /\brm\s+-|\bmkfs|\bdd\s.*\bof=|\b(shutdown|reboot|poweroff|halt)\b|>\s*\/dev\/|:\(\)\s*\{|\b(chmod|chown)\s+-R|\buser(del|mod)\b|\bkill(all)?\b|\bsystemctl\s+(stop|disable|mask|restart)|\b(drop|truncate)\s+(table|database)|\|\s*(sudo\s+)?(ba|z|da)?sh\b/i
export const isRisky = (command: string): boolean => risky.test(command)
/** More servers than this are confirmed by typing as well. */
export const manyServers = 10
