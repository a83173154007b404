/** The socket of a conversation: text frames of JSON both ways. What the server says has the form of kept messages. */
import * as z from 'zod/mini'
import { chatTextLimit } from '../limits.ts'

/** With `access_token` and `conversation_id` in the query. */
export const chatSocketPath = '/v1/webapi/sites/{clusterId}/assistant'

export const questionWire = z.object({ payload: z.string().check(z.minLength(1), z.maxLength(chatTextLimit)) })
