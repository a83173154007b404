/** Mattermost, as the bot whose token is given, by version 4 of its REST API. */
import { isMailAddress } from '@sallyport/wire/entities/plugin.ts'
import { z } from 'zod'
import { createOutbound } from '../sso/outbound.ts'
import { cut } from './cut.ts'
import { DeliveryError, notInChannel, unauthorized, unknownRecipient } from './delivery-error.ts'
import type { Messenger, Notice } from './messenger.ts'
import { bearerJson, callService, readAnswer } from './service-call.ts'
import type { ServiceAnswer } from './service-call.ts'

const name = 'Mattermost'
const withId = z.object({ id: z.string().min(1) })
const handleForm = z.object({ post: z.string(), channel: z.string() })
const refusal = z.object({ id: z.string().max(500), message: z.string().max(2000) })

export function createMattermost({ url, token }: { url: string; token: string }): Messenger {
  const api = `${url.replace(/\/+$/, '')}/api/v4`
  const outbound = createOutbound(url)
  const send = (method: 'GET' | 'POST' | 'PUT', path: string, body: unknown, signal: AbortSignal): Promise<ServiceAnswer> =>
    callService({ name, outbound }, api + path, { method, ...bearerJson(token, body), signal })
  /** `about`: whom or what it is for, where that may be unknown. */
  async function ask(method: 'GET' | 'POST' | 'PUT', path: string, body: unknown, about: string, signal: AbortSignal): Promise<string> {
    const said = await send(method, path, body, signal)
    if (said.status < 300) return readAnswer(name, withId, said).id
    throw refusalOf(said, about)
  }
  async function channelOf(recipient: string, signal: AbortSignal): Promise<string> {
    if (isMailAddress(recipient)) {
      const own = await ask('GET', '/users/me', undefined, 'the bot', signal)
      const member = await ask('GET', `/users/email/${encodeURIComponent(recipient)}`, undefined, recipient, signal)
      return ask('POST', '/channels/direct', [own, member], recipient, signal)
    }
    const [team = '', channel = ''] = recipient.split('/')
    return ask('GET', `/teams/name/${encodeURIComponent(team)}/channels/name/${encodeURIComponent(channel)}`, undefined, recipient, signal)
  }
  const messenger: Messenger = {
    async check(signal) {
      await ask('GET', '/users/me', undefined, 'the bot', signal)
    },
    async post(recipient, notice, signal) {
      const channel = await channelOf(recipient, signal)
      const post = await ask('POST', '/posts', { channel_id: channel, ...messageOf(notice) }, recipient, signal)
      return JSON.stringify({ post, channel })
    },
    async revise(recipient, handle, notice, signal) {
      const { post } = handleForm.parse(JSON.parse(handle))
      const said = await send('PUT', `/posts/${encodeURIComponent(post)}/patch`, messageOf(notice), signal)
      if (said.status < 300) return handle
      // It was removed, or the server lets nobody change what is so old.
      if (said.status === 404 || said.status === 400) return messenger.post(recipient, notice, signal)
      throw refusalOf(said, recipient)
    },
  }
  return messenger
}

function refusalOf({ status, body }: ServiceAnswer, about: string): DeliveryError {
  const parsed = refusal.safeParse(body)
  const words = parsed.success ? cut(parsed.data.message) : `status ${status}`
  if (status === 401)
    return unauthorized(`Mattermost refuses the token: ${words} Give the plugin a token of a bot account that is enabled.`)
  if (status === 403)
    return notInChannel(`Mattermost does not let the bot into ${about}: ${words} Add the bot to the team and the channel.`)
  if (status === 404)
    return unknownRecipient(`Mattermost shows the bot nothing named ${about}: ${words} Check the name, and add the bot to the team.`)
  return new DeliveryError(`Mattermost refuses what is for ${about}: ${words}`, { of: 'recipient' })
}

/** So nothing that somebody wrote is formatted, a link, or calls people. */
const plain = (text: string): string => text.replaceAll(/[\\`*_{}[\]()#+\-.!|~<>&:]/g, String.raw`\$&`).replaceAll('@', '@\u{200b}')

/** In an attachment, whose words call nobody. */
function messageOf({ title, facts, link }: Notice): object {
  const fields = facts.map(({ label, value }) => ({ title: label, value: plain(cut(value)), short: value.length < 40 }))
  return { message: '', props: { attachments: [{ fallback: title, title, title_link: link, fields }] } }
}
