/** The calls with which hosts and bots join. */
import { joinBot, joinHost } from '@sallyport/wire/calls/join.ts'
import type { JoinBot } from '../../core/join/join-bot.ts'
import type { JoinHost } from '../../core/join/join-host.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'

export const joinRoutes = ({ host, bot }: { host: JoinHost; bot: JoinBot }): Route[] => [
  on(joinHost, ({ body, client }) => host(body, client)),
  on(joinBot, ({ body, client }) => bot(body, client)),
]
