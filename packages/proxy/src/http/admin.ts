/** The control socket of this machine: `sallyport users add` and its like talk to the running proxy through it. */
import { chmod, lstat, rename, unlink } from 'node:fs/promises'
import { connect } from 'node:net'
import { userInfo } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import fastify from 'fastify'
import { adminCalls } from '@sallyport/wire/admin.ts'
import type { Context } from '../context.ts'
import { badParameter, notFound } from '../core/errors.ts'
import { randomHex } from '../core/identity/secrets.ts'
import type { NewUserToken } from '../core/identity/user-tokens.ts'
import { safeNameOf } from '../core/join/join-token.ts'
import { StartError } from '../start-error.ts'
import { serveDatabases } from './admin-databases.ts'
import { serveRecordings } from './admin-recordings.ts'
import type { AdminRecordingsContext } from './admin-recordings.ts'
import { serveRequests } from './admin-requests.ts'
import type { AdminRequestsContext } from './admin-requests.ts'
import { serveResources } from './admin-resources.ts'
import type { AdminResourceContext, OnAdminCall } from './admin-resources.ts'
import { toErrorAnswer } from './errors.ts'
import { parseInput } from './input.ts'

const tokenBytes = 16
const maxTokenTtl = 7 * 86_400

/** Of one that was retired. */
const lastAnswerWithin = 1000

/** A whole cluster may be restored in one call; only the owner of the process can make it. */
const bodyLimit = 256 * 1024 * 1024

/** Longer paths do not fit into the address of a socket on every system. */
const maxPathLength = 100

type AdminContext = AdminResourceContext &
  AdminRecordingsContext &
  AdminRequestsContext &
  Pick<
    Context,
    | 'joinTokens'
    | 'pins'
    | 'roles'
    | 'audit'
    | 'site'
    | 'version'
    | 'config'
    | 'clock'
    | 'databaseAuthority'
    | 'log'
    | 'inventory'
    | 'generation'
    | 'neighbours'
    | 'liveSessions'
  >

export interface AdminSocket extends AsyncDisposable {
  /** Starts answering. Only the owner of the process can connect. */
  serve(context: AdminContext): Promise<void>
  /** The next generation answers; who asks something now still gets its answer. */
  retire(): void
}

/** Makes sure that no other proxy uses this data directory, unless it is the one to take over from. Throws StartError when one does. */
export async function claimAdminSocket(path: string, { takesOver = false } = {}): Promise<AdminSocket> {
  if (Buffer.byteLength(path) > maxPathLength)
    throw new StartError(
      'data-dir',
      `The path of the data directory is too long for the control socket (${path}); choose a shorter one with --data-dir.`,
    )
  if (!takesOver && (await answers(path)))
    throw new StartError(
      'already-running',
      `Another Sallyport is running with this data directory (its control socket ${path} answers); stop it or choose another directory with --data-dir.`,
    )
  if (!takesOver) await removeStale(path)
  const closing = new AsyncDisposableStack()
  let isRetired = false
  let leave: (() => Promise<void>) | undefined
  let left: Promise<void> | undefined = Promise.resolve()
  return {
    async serve(context) {
      const app = createAdminServer(context)
      closing.defer(async () => {
        // Whoever asked for the restart is being told of it.
        await Promise.race([left, delay(lastAnswerWithin, undefined, { ref: false })])
        await app.close()
        if (!isRetired) await removeStale(path)
      })
      // The name appears only once the socket is closed to others.
      const draft = `${path}.${process.pid}`
      await removeStale(draft)
      await app.listen({ path: draft })
      await chmod(draft, 0o600)
      await rename(draft, path)
      leave = () => new Promise((resolve) => app.server.close(() => resolve()))
    },
    retire() {
      isRetired = true
      left = leave?.()
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

function createAdminServer(context: AdminContext) {
  const { accounts, joinTokens, pins, roles, audit, site, version, config, clock, log, inventory, generation, neighbours, liveSessions } =
    context
  const app = fastify({ logger: false, forceCloseConnections: true, bodyLimit })
  const by = userInfo().username
  const started = clock.now()
  const time = (at: number): string => new Date(at).toISOString()
  app.setErrorHandler((error, request, reply) => {
    const { status, body } = toErrorAnswer(error, request.id, log)
    return reply.code(status).type('application/json').send(body)
  })
  const on: OnAdminCall = (call, answer) => {
    app.route({
      method: call.method,
      url: call.path,
      handler: (request) => answer(parseInput(call.body, request.body ?? undefined) as Parameters<typeof answer>[0]),
    })
  }
  const generations = async () => {
    const own = { number: generation.number, started, version, sessions: liveSessions.count() }
    const others = await Promise.all(
      neighbours.all().map(async (neighbour) => {
        const state = await neighbour.state().catch(() => undefined) // it has just ended
        return state ? [{ number: neighbour.number, ...state }] : []
      }),
    )
    return [own, ...others.flat()]
      .toSorted((a, b) => a.number - b.number)
      .map(({ started: since, ...rest }) => ({ ...rest, started: time(since) }))
  }
  const link = ({ tokenId, expires }: NewUserToken) => ({ link: site.inviteUrl(tokenId), expires: time(expires) })
  on(adminCalls.addUser, async (user) => {
    for (const role of user.roles)
      if (!(await roles.get(role))) throw notFound(`role "${role}" does not exist; ask for another with --roles`)
    return link(await accounts.create(user, by))
  })
  on(adminCalls.resetUser, async ({ name }) => link(await accounts.reset(name, 'invite', by)))
  serveResources(on, context, by)
  serveRecordings(app, on, context, by)
  serveRequests(on, context, by)
  serveDatabases(on, context, by)
  on(adminCalls.addToken, async ({ roles: kinds, ttl, labels, once }) => {
    if (ttl > maxTokenTtl) throw badParameter(`ttl: a join token lives for ${maxTokenTtl} seconds (a week) at most`)
    const token = randomHex(tokenBytes)
    const expires = time(clock.now() + ttl * 1000)
    const { spec } = await joinTokens.create(
      {
        metadata: { name: token, expires },
        spec: { roles: kinds, suggested_labels: labels, usage_mode: once ? 'single_use' : 'unlimited' },
      },
      by,
    )
    const { curl: pin = '', authority: authorityPin = '' } = (await pins()) ?? {}
    return { token, expires, roles: spec.roles, cluster: config.clusterName, publicUrl: site.origin, pin, authorityPin }
  })
  on(adminCalls.listTokens, async () =>
    (await joinTokens.list()).map(({ metadata, spec }) => ({
      name: safeNameOf(metadata.name, spec.join_method),
      method: spec.join_method,
      roles: spec.roles,
      expires: metadata.expires ?? '',
      once: spec.usage_mode === 'single_use',
    })),
  )
  on(adminCalls.restart, () => generation.restart())
  on(adminCalls.status, async () => ({
    version,
    clusterName: config.clusterName,
    publicUrl: site.origin,
    started: time(started),
    nodes: inventory.count(),
    generations: await generations(),
  }))
  on(adminCalls.verifyAudit, () => audit.verify())
  return app
}

const answers = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path)
    const finish = (alive: boolean) => (): void => {
      socket.destroy()
      resolve(alive)
    }
    socket.once('connect', finish(true))
    socket.once('error', finish(false)) // nobody listens: no file, or one left by a process that was killed
  })

async function removeStale(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined) // not there
  if (found?.isSocket()) await unlink(path)
}
