/** What the model may ask for: looking at servers, and proposing a command. Neither does anything to a server. */
import type { CommandProposal } from '@sallyport/wire/entities/assistant.ts'
import { commandLimit } from '@sallyport/wire/limits.ts'
import { z } from 'zod'
import type { ModelTool } from './model.ts'
import type { ToolCall } from './model-stream.ts'
import type { Servers } from './servers.ts'

const text = { type: 'string' }

export const modelTools: readonly ModelTool[] = [
  {
    name: 'list_servers',
    description:
      'Servers that the user may see, with labels and the logins that the user has there. Give words to search for, or none for all.',
    parameters: { type: 'object', properties: { search: text }, required: [] },
  },
  {
    name: 'propose_command',
    description:
      'Shows the user a shell command for servers, which they may change, run or leave. Name the servers by hostname or by labels, as list_servers tells them.',
    parameters: {
      type: 'object',
      properties: {
        command: text,
        nodes: { type: 'array', items: text },
        labels: { type: 'array', items: { type: 'object', properties: { key: text, value: text }, required: ['key', 'value'] } },
        login: text,
      },
      required: ['command'],
    },
  },
]

/** `said` goes back to the model; `proposal` to the user, who decides. */
export type ToolOutcome = { said: string; proposal?: CommandProposal }

const name = z.string().min(1).max(255)
const searchForm = z.object({ search: z.string().max(256).default('') })
const proposalForm = z.object({
  command: z.string().trim().min(1).max(commandLimit),
  nodes: z.array(name).max(100).nullish(),
  labels: z
    .array(z.object({ key: name, value: z.string().max(1024) }))
    .max(20)
    .nullish(),
  login: z.string().max(255).nullish(),
})

/** Characters that make a command look other than it is: controls but tab and line feed, and what turns or hides text. */
const misleading = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/

/** Whatever the model wrote, this says what to do better instead of failing. */
export function applyTool({ name, input }: ToolCall, servers: Servers): ToolOutcome {
  if (name === 'list_servers') return listServers(input, servers)
  if (name === 'propose_command') return propose(input, servers)
  return { said: 'There is no such tool.' }
}

function listServers(input: string, servers: Servers): ToolOutcome {
  const { data } = searchForm.safeParse(readJson(input))
  if (!data) return { said: 'search has to be a text.' }
  const found = servers.search(data.search)
  return { said: JSON.stringify(found) }
}

function propose(input: string, servers: Servers): ToolOutcome {
  const { data } = proposalForm.safeParse(readJson(input))
  if (!data) return { said: 'The proposal is not complete: it needs a command, and servers by name or by labels.' }
  if (misleading.test(data.command)) return { said: 'The command holds characters that are not shown. Propose it without them.' }
  const wanted = { nodes: data.nodes ?? [], labels: data.labels ?? [] }
  const matched = servers.match(wanted)
  if (matched.length === 0) return { said: 'The user sees no such servers. Look them up with list_servers.' }
  // Names that the user does not see are left out; labels speak for themselves.
  const seen = new Set(matched.map(({ hostname }) => hostname))
  const login = data.login && matched.every(({ logins }) => logins.includes(data.login ?? '')) ? data.login : undefined
  return {
    said: 'The user sees the proposal now and decides.',
    proposal: {
      command: data.command,
      ...(login !== undefined && { login }),
      nodes: wanted.nodes.filter((node) => seen.has(node)),
      labels: wanted.labels,
    },
  }
}

function readJson(input: string): unknown {
  try {
    return JSON.parse(input || '{}')
  } catch {
    return undefined // refused by the form
  }
}
