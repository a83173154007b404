/**
 * What the local admin socket speaks: HTTP and JSON over `<data directory>/admin.sock`, which only the user that runs
 * the proxy may open. Refusals have the error body of every other call.
 */
import * as z from 'zod/mini'
import { okMessage } from './call.ts'
import { requestReasonMaxBytes } from './entities/access-request.ts'
import { userItemsWire } from './entities/user.ts'

export const adminSocketName = 'admin.sock'

const name = z.string().check(z.minLength(1), z.maxLength(255))
const oneOrMoreNames = z.array(name).check(z.minLength(1))
const nothing = z.undefined()

/** A single-use link that lets its holder set a password and a second factor. */
export const inviteWire = z.object({ link: z.string(), expires: z.string() })

const requestWire = z.object({
  id: z.string(),
  user: z.string(),
  roles: z.array(z.string()),
  resources: z.number(),
  state: z.string(),
  reason: z.string(),
  created: z.string(),
})

/** Each endpoint: what it takes (GET takes nothing) and what it answers. */
export const adminCalls = {
  addUser: {
    method: 'POST',
    path: '/users',
    /** Without roles a user can sign in and change their own account, no more. */
    body: z.object({ name, roles: z.array(name), logins: z._default(z.array(name), []) }),
    answer: inviteWire,
  },
  listUsers: { method: 'GET', path: '/users', body: nothing, answer: userItemsWire },
  /** What is absent stays as it is. */
  updateUser: {
    method: 'POST',
    path: '/users/update',
    body: z.object({ name, roles: z.optional(oneOrMoreNames), logins: z.optional(z.array(name)) }),
    answer: okMessage,
  },
  resetUser: { method: 'POST', path: '/users/reset', body: z.object({ name }), answer: inviteWire },
  /** `kind` may be `all`; without a name every document of the kind. Secrets only when they are asked for. */
  readResources: {
    method: 'POST',
    path: '/resources/read',
    body: z.object({ kind: name, name: z.optional(name), withSecrets: z.boolean() }),
    answer: z.object({ documents: z.array(z.object({ kind: z.string(), name: z.string(), content: z.string() })) }),
  },
  /** Each part holds one document or several; nothing is saved when one of them cannot be read. */
  saveResources: {
    method: 'POST',
    path: '/resources/save',
    body: z.object({ parts: z.array(z.string()).check(z.minLength(1)), force: z.boolean() }),
    answer: z.object({ saved: z.array(z.object({ kind: z.string(), name: z.string(), outcome: z.enum(['created', 'replaced']) })) }),
  },
  removeResource: {
    method: 'POST',
    path: '/resources/remove',
    body: z.object({ kind: name, name }),
    answer: z.object({ kind: z.string(), name: z.string() }),
  },
  /** `ttl` in seconds. */
  addToken: {
    method: 'POST',
    path: '/tokens',
    body: z.object({
      roles: oneOrMoreNames,
      ttl: z.int().check(z.positive()),
      /** Agents that join with the token get them. */
      labels: z._default(z.record(name, z.string()), {}),
      /** The first agent uses it up. */
      once: z._default(z.boolean(), false),
    }),
    /** `pin`: how curl recognises a private certificate at `publicUrl`; empty without one. */
    answer: z.object({
      token: z.string(),
      expires: z.string(),
      roles: z.array(z.string()),
      cluster: z.string(),
      publicUrl: z.string(),
      pin: z.string(),
      /** How a leaf cluster recognises it. */
      authorityPin: z.string(),
    }),
  },
  /** Secret names are masked; `expires` is empty for a token without an end. */
  listTokens: {
    method: 'GET',
    path: '/tokens',
    body: nothing,
    answer: z.array(z.object({ name: z.string(), method: z.string(), roles: z.array(z.string()), expires: z.string(), once: z.boolean() })),
  },
  status: {
    method: 'GET',
    path: '/status',
    body: nothing,
    answer: z.object({
      version: z.string(),
      clusterName: z.string(),
      publicUrl: z.string(),
      /** ISO time. */
      started: z.string(),
      nodes: z.number(),
      /** The processes of a proxy that was restarted while it ran, oldest first; the last one serves who comes. */
      generations: z._default(
        z.array(z.object({ number: z.number(), version: z.string(), started: z.string(), sessions: z.number() })),
        [],
      ),
    }),
  },
  /** Answers when a new process serves in place of this one, which goes on with the sessions that it has. */
  restart: { method: 'POST', path: '/restart', body: nothing, answer: z.object({ generation: z.number() }) },
  /** Finished recordings, newest first. */
  listRecordings: {
    method: 'POST',
    path: '/recordings',
    body: z.object({ limit: z.int().check(z.positive(), z.maximum(10_000)) }),
    answer: z.object({
      recordings: z.array(
        z.object({ sid: z.string(), user: z.string(), hostname: z.string(), start: z.string(), durationMs: z.number(), bytes: z.number() }),
      ),
      /** Of those that are not in the list. */
      more: z.number(),
      /** Of every recording, those that cannot be read included. */
      sids: z.array(z.string()),
    }),
  },
  /** Reads every byte of a recording. `damaged`: it is not what was written; `problem` says where. */
  verifyRecording: {
    method: 'POST',
    path: '/recordings/verify',
    body: z.object({ sid: z.uuid() }),
    answer: z.object({ state: z.enum(['signed', 'unsigned', 'forged', 'damaged']), problem: z.optional(z.string()) }),
  },
  /** The newest first; `resources` counts those that the roles are for, 0 where they are asked for as such. */
  listRequests: { method: 'GET', path: '/requests', body: nothing, answer: z.array(requestWire) },
  createRequest: {
    method: 'POST',
    path: '/requests',
    body: z.object({ user: name, roles: oneOrMoreNames, reason: z.string().check(z.maxLength(requestReasonMaxBytes)) }),
    answer: requestWire,
  },
  decideRequest: {
    method: 'POST',
    path: '/requests/decide',
    body: z.object({ id: name, state: z.enum(['APPROVED', 'DENIED']), reason: z.string().check(z.maxLength(requestReasonMaxBytes)) }),
    answer: requestWire,
  },
  removeRequest: { method: 'POST', path: '/requests/remove', body: z.object({ id: name }), answer: okMessage },
  /** Key and certificate for the server of a database, and the authority that it has to trust; all in PEM. */
  signDatabase: {
    method: 'POST',
    path: '/databases/sign',
    body: z.object({ hosts: z.string().check(z.maxLength(4096)), ttl: z.optional(z.string().check(z.maxLength(64))) }),
    answer: z.object({ key: z.string(), certificate: z.string(), authority: z.string() }),
  },
  /** `firstBroken` is the first audit event whose hash does not follow from the one before. */
  verifyAudit: {
    method: 'GET',
    path: '/audit/verify',
    body: nothing,
    answer: z.object({
      ok: z.boolean(),
      events: z.number(),
      firstBroken: z.optional(z.object({ seq: z.number(), uid: z.string(), reason: z.string() })),
    }),
  },
} as const
export type AdminCall = (typeof adminCalls)[keyof typeof adminCalls]

/** A recording in another form, as bytes. */
export const adminExportPath = (sid: string, format: 'cast' | 'text'): string => `/recordings/${encodeURIComponent(sid)}/export/${format}`
