/** Slack, as the bot whose token is given. It needs the scopes chat:write, users:read and users:read.email. */
import { isMailAddress } from '@sallyport/wire/entities/plugin.ts'
import { z } from 'zod'
import { createOutbound } from '../sso/outbound.ts'
import { cut } from './cut.ts'
import { DeliveryError, notInChannel, unauthorized, unknownRecipient } from './delivery-error.ts'
import type { Messenger, Notice } from './messenger.ts'
import { bearerJson, callService, readAnswer } from './service-call.ts'

const name = 'Slack'
const refusal = z.object({ ok: z.literal(false), error: z.string().max(200), needed: z.string().max(500).optional() })
const done = z.object({ ok: z.literal(true) })
const posted = z.object({ ok: z.literal(true), channel: z.string().min(1), ts: z.string().min(1) })
const member = z.object({ ok: z.literal(true), user: z.object({ id: z.string().min(1) }) })
const handleForm = z.object({ channel: z.string(), ts: z.string() })

const refusedTokens = new Set([
  'invalid_auth',
  'not_authed',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'no_permission',
  'org_login_required',
  'ekm_access_denied',
])
/** The message is not there any more, or may not be changed: somebody removed it, or the workspace is strict about it. */
const unchangeable = new Set(['message_not_found', 'cant_update_message', 'edit_window_closed'])

/** What Slack says no with. */
class SlackRefusal extends DeliveryError {
  readonly error: string
  constructor(error: string, { message, status, of, isFinal }: DeliveryError) {
    super(message, { status, of, isFinal })
    this.error = error
  }
}

function refusalOf({ error, needed }: z.output<typeof refusal>, about: string): SlackRefusal {
  const why = (): DeliveryError => {
    if (refusedTokens.has(error))
      return unauthorized(`Slack refuses the token (${error}). Give the plugin the bot token of an app that is installed.`)
    if (error === 'missing_scope')
      return unauthorized(
        `The app lacks the scope ${needed ?? 'chat:write'} at Slack. Add it there, install the app again and give its new token.`,
      )
    if (error === 'not_in_channel') return notInChannel(`The bot is not in ${about}. Invite it there: /invite and its name.`)
    if (error === 'channel_not_found')
      return notInChannel(`Slack shows the bot no channel ${about}. Check the name; invite the bot when the channel is private.`)
    if (error === 'is_archived') return unknownRecipient(`The channel ${about} is archived at Slack. Name another one.`)
    if (error === 'users_not_found') return unknownRecipient(`Slack knows no member with the address ${about}.`)
    return new DeliveryError(`Slack refuses what is for ${about}: ${error}.`, { of: 'recipient' })
  }
  return new SlackRefusal(error, why())
}

/** `api`: what the names of Slack's methods are put behind. */
export function createSlack({ token, api }: { token: string; api: string }): Messenger {
  const outbound = createOutbound(api)
  async function ask<T>(method: string, body: object, answer: z.ZodType<T>, about: string, signal: AbortSignal): Promise<T> {
    const request = { method: 'POST', ...bearerJson(token, body), signal }
    const said = await callService({ name, outbound }, `${api}/${method}`, request)
    const refused = refusal.safeParse(said.body)
    if (refused.success) throw refusalOf(refused.data, about)
    return readAnswer(name, answer, said)
  }
  /** This method takes no JSON. */
  async function memberOf(email: string, signal: AbortSignal): Promise<string> {
    const request = { headers: { accept: 'application/json', authorization: `Bearer ${token}` }, signal }
    const said = await callService({ name, outbound }, `${api}/users.lookupByEmail?${new URLSearchParams({ email })}`, request)
    const refused = refusal.safeParse(said.body)
    if (refused.success) throw refusalOf(refused.data, email)
    return readAnswer(name, member, said).user.id
  }
  const messenger: Messenger = {
    async check(signal) {
      await ask('auth.test', {}, done, 'the bot', signal)
    },
    async post(recipient, notice, signal) {
      const to = isMailAddress(recipient) ? await memberOf(recipient, signal) : recipient
      const { channel, ts } = await ask('chat.postMessage', { channel: to, ...messageOf(notice) }, posted, recipient, signal)
      return JSON.stringify({ channel, ts })
    },
    async revise(recipient, handle, notice, signal) {
      const { channel, ts } = handleForm.parse(JSON.parse(handle))
      try {
        await ask('chat.update', { channel, ts, ...messageOf(notice) }, done, recipient, signal)
        return handle
      } catch (error) {
        if (error instanceof SlackRefusal && unchangeable.has(error.error)) return messenger.post(recipient, notice, signal)
        throw error
      }
    },
  }
  return messenger
}

/** So nothing that somebody wrote is a mention, a link or a command to Slack. */
const plain = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Characters of one section. */
const mostOfSection = 3000

function messageOf({ title, facts, link }: Notice): object {
  const lines = facts.map(({ label, value }) => `*${plain(label)}:* ${plain(cut(value))}`)
  const together = lines.join('\n')
  const section = (text: string): object => ({ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } })
  return {
    // For notifications and screen readers.
    text: plain(title),
    unfurl_links: false,
    unfurl_media: false,
    blocks: [`*${plain(title)}*`, ...(together.length > mostOfSection ? lines : [together]), `<${link}|Open in Sallyport>`]
      .filter((part) => part !== '')
      .map(section),
  }
}
