/**
 * Stands in for Mattermost: the calls of version 4 of its REST API that the product makes, with the answers and errors that
 * its documentation gives. The server itself is no package of Debian.
 */
import { z } from 'zod'
import { serveChat } from './chat-server.ts'
import type { ChatAnswer, ChatCall, ChatPost, ChatServer } from './chat-server.ts'

export interface MattermostStandIn extends ChatServer {
  token: string
  /** Members by their mail address. */
  readonly members: Map<string, string>
  /** Channels as team/channel, and whether the bot is in. */
  readonly channels: Map<string, boolean>
  readonly posts: ChatPost[]
}

const post = z.object({ channel_id: z.string().optional(), message: z.string(), props: z.object({ attachments: z.array(z.unknown()) }) })
const refuse = (status: number, id: string, message: string): ChatAnswer => ({ status, body: { id, message, status_code: status } })
const missing = (): ChatAnswer => refuse(404, 'store.sql.missing.app_error', 'Unable to find it.')
const bot = 'bot00000000000000000000000'

export async function startMattermost(): Promise<MattermostStandIn> {
  const state = {
    token: 'mattermost-test-token',
    members: new Map<string, string>(),
    channels: new Map<string, boolean>(),
    posts: [] as ChatPost[],
  }
  let last = 0
  const nameOf = (id: string): string | undefined =>
    [...state.channels.keys()].find((name) => `c-${name}` === id) ??
    [...state.members].find(([, member]) => `${bot}__${member}` === id)?.[0]

  function route({ method, url, body }: ChatCall): ChatAnswer {
    const path = decodeURIComponent(url.pathname.replace('/api/v4', ''))
    const what = `${method} ${path}`
    if (what === 'GET /users/me') return { body: { id: bot, is_bot: true } }
    const [, email] = /^GET \/users\/email\/(.+)$/.exec(what) ?? []
    if (email !== undefined) {
      const id = state.members.get(email)
      return id === undefined ? missing() : { body: { id } }
    }
    if (what === 'POST /channels/direct') {
      const [one, other] = z.tuple([z.literal(bot), z.string()]).parse(body)
      return { status: 201, body: { id: `${one}__${other}` } }
    }
    const [, team, channel] = /^GET \/teams\/name\/([^/]+)\/channels\/name\/([^/]+)$/.exec(what) ?? []
    if (team !== undefined) return state.channels.has(`${team}/${channel}`) ? { body: { id: `c-${team}/${channel}` } } : missing()
    if (what === 'POST /posts') {
      const { channel_id: place = '', ...said } = post.parse(body)
      const name = nameOf(place)
      if (name === undefined) return refuse(400, 'api.context.invalid_body_param.app_error', 'Invalid channel_id.')
      if (state.channels.get(name) === false)
        return refuse(403, 'api.context.permissions.app_error', 'You do not have the appropriate permissions.')
      const id = `p${(last += 1)}`
      state.posts.push({ id, channel: name, body: said, edits: 0 })
      return { status: 201, body: { id } }
    }
    const [, patched] = /^PUT \/posts\/([^/]+)\/patch$/.exec(what) ?? []
    const known = state.posts.find(({ id }) => id === patched)
    if (!known) return missing()
    Object.assign(known, { body: post.parse(body), edits: known.edits + 1 })
    return { body: { id: known.id } }
  }
  const server = await serveChat((call) =>
    call.bearer === state.token
      ? route(call)
      : refuse(401, 'api.context.session_expired.app_error', 'Invalid or expired session, please login again.'),
  )
  return Object.assign(state, server)
}
