/** Events of consoles about their use: a line each in the log, which is for whoever runs the proxy. */
import { capture, precapture, spansWire, traces } from '@sallyport/wire/calls/usage.ts'
import type { Log } from '../../core/log.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'

export const usageRoutes = ({ log }: { log: Log }): Route[] => [
  on(precapture, ({ body: { event, username } }) => void log.info({ event, username }, 'a console reports')),
  on(capture, ({ body: { event }, caller: { username } }) => void log.info({ event, username }, 'a console reports')),
  // Taken and let go: this proxy hands them on to nobody.
  on(traces, ({ body, reply }) => void reply.code(spansWire.safeParse(body).success ? 200 : 400).send('')),
]
