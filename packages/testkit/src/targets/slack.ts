/**
 * Stands in for Slack: the methods of its Web API that the product calls, with the arguments, answers and errors that their
 * documentation gives. A real workspace cannot be made here.
 */
import { z } from 'zod'
import { serveChat } from './chat-server.ts'
import type { ChatAnswer, ChatCall, ChatPost, ChatServer } from './chat-server.ts'

export interface SlackStandIn extends ChatServer {
  /** What the setting `slackApi` is. */
  readonly api: string
  /** What counts as the bot's token. */
  token: string
  /** Members by their mail address. */
  readonly members: Map<string, string>
  /** Channels by name, and whether the bot is in. */
  readonly channels: Map<string, boolean>
  readonly posts: ChatPost[]
  /** So many calls are asked for patience, of so many seconds. */
  busy: { calls: number; seconds: number }
  /** Answers nothing but trouble while it is set. */
  isDown: boolean
}

const section = z.object({ type: z.literal('section'), text: z.object({ type: z.literal('mrkdwn'), text: z.string().min(1).max(3000) }) })
const message = z.object({ channel: z.string(), text: z.string(), blocks: z.array(section).max(50), ts: z.string().optional() })
const refuse = (error: string, more: object = {}): ChatAnswer => ({ body: { ok: false, error, ...more } })
const accept = (more: object = {}): ChatAnswer => ({ body: { ok: true, ...more } })

export async function startSlack(): Promise<SlackStandIn> {
  const state = {
    token: 'xoxb-test-token',
    members: new Map<string, string>(),
    channels: new Map<string, boolean>(),
    posts: [] as ChatPost[],
    busy: { calls: 0, seconds: 0 },
    isDown: false,
  }
  let last = 0
  /** Ids of channels and of members are taken as well as names. */
  function placeOf(channel: string): { id: string; name: string } | string {
    const member = [...state.members].find(([, id]) => id === channel)
    if (member) return { id: `D${channel.slice(1)}`, name: member[0] }
    const name = channel.replace(/^#/, '')
    const isIn = state.channels.get(name)
    if (isIn === undefined) return 'channel_not_found'
    return isIn ? { id: `C${name.toUpperCase()}`, name: `#${name}` } : 'not_in_channel'
  }
  const methods: Record<string, (call: ChatCall) => ChatAnswer> = {
    'auth.test': () => accept({ team: 'Test', user: 'sallyport' }),
    'users.lookupByEmail': ({ url, type }) => {
      // Documented to take no JSON.
      if (type.startsWith('application/json')) return refuse('invalid_arguments')
      const id = state.members.get(url.searchParams.get('email') ?? '')
      return id === undefined ? refuse('users_not_found') : accept({ user: { id } })
    },
    'chat.postMessage': ({ body }) => {
      const { channel, ...said } = message.parse(body)
      const place = placeOf(channel)
      if (typeof place === 'string') return refuse(place)
      const ts = `1700000000.${String((last += 1)).padStart(6, '0')}`
      state.posts.push({ id: `${place.id}/${ts}`, channel: place.name, body: said, edits: 0 })
      return accept({ channel: place.id, ts, message: {} })
    },
    'chat.update': ({ body }) => {
      const { channel, ts = '', ...said } = message.parse(body)
      const post = state.posts.find(({ id }) => id === `${channel}/${ts}`)
      if (!post) return refuse('message_not_found')
      Object.assign(post, { body: said, edits: post.edits + 1 })
      return accept({ channel, ts })
    },
  }
  const server = await serveChat((call) => {
    if (state.isDown) return { status: 503, body: {} }
    if (state.busy.calls > 0) {
      state.busy.calls -= 1
      return { status: 429, headers: { 'retry-after': String(state.busy.seconds) }, body: { ok: false, error: 'ratelimited' } }
    }
    const method = methods[call.url.pathname.replace('/api/', '')]
    if (!method) return refuse('unknown_method')
    if (call.bearer === undefined) return refuse('not_authed')
    if (call.bearer !== state.token) return refuse('invalid_auth')
    try {
      return method(call)
    } catch (error) {
      if (error instanceof z.ZodError) return refuse('invalid_blocks')
      throw error
    }
  })
  return Object.assign(state, { ...server, api: `${server.origin}/api` })
}
