/** What a machine fetches to join: the script, and the agent that the script installs. */
import * as z from 'zod/mini'
import { call } from '../call.ts'

const token = z.string().check(z.maxLength(4096))
const given = z._default(z.string().check(z.maxLength(4096)), '')

/** A shell script, for a token or a parameter that is not good as well: then it says so and fails. */
export const installNode = call({
  id: 'scripts.installNode',
  method: 'GET',
  path: '/scripts/{token}/install-node.sh',
  allow: 'public',
  limit: 'high',
  params: z.object({ token }),
  query: z.object({ method: z._default(z.string().check(z.maxLength(4096)), '') }),
  answer: 'raw',
})
/** The same for a machine that is to reach one application: it is listed under `name`. */
export const installApp = call({
  id: 'scripts.installApp',
  method: 'GET',
  path: '/scripts/{token}/install-app.sh',
  allow: 'public',
  limit: 'high',
  params: z.object({ token }),
  query: z.object({ name: given, uri: given }),
  answer: 'raw',
})
/** The same for a machine that is to reach databases: those whose labels the token names. */
export const installDatabase = call({
  id: 'scripts.installDatabase',
  method: 'GET',
  path: '/scripts/{token}/install-database.sh',
  allow: 'public',
  limit: 'high',
  params: z.object({ token }),
  answer: 'raw',
})
/** Ours: the same for a machine that is to reach one desktop, at a host or host:port. */
export const installDesktop = call({
  id: 'scripts.installDesktop',
  method: 'GET',
  path: '/scripts/{token}/install-desktop.sh',
  allow: 'public',
  limit: 'high',
  params: z.object({ token }),
  query: z.object({ name: given, addr: given }),
  answer: 'raw',
})
/** Ours: the same for a machine with a kubectl that is to reach that cluster. */
export const installKube = call({
  id: 'scripts.installKube',
  method: 'GET',
  path: '/scripts/{token}/install-kube.sh',
  allow: 'public',
  limit: 'high',
  params: z.object({ token }),
  query: z.object({ name: given }),
  answer: 'raw',
})
/** Ours. `target` is `linux-x64.tar.gz` and its like; only for who holds a token. */
export const agent = call({
  id: 'scripts.agent',
  method: 'GET',
  path: '/scripts/{token}/agent/{target}',
  allow: 'public',
  limit: 'high',
  params: z.object({ token, target: z.string().check(z.maxLength(255)) }),
  answer: 'raw',
})
/** Ours: how `curl` recognises a proxy with a private certificate (`--pinnedpubkey`); empty when it needs no help. */
export const certificatePin = call({
  id: 'scripts.certificatePin',
  method: 'GET',
  path: '/v1/webapi/scripts/certificatepin',
  allow: 'session',
  out: z.object({ pin: z._default(z.string(), '') }),
})
