import { describe, expect, test } from 'vitest'
import { nodes } from '@sallyport/wire/calls/nodes.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { RefusedError } from './api-client.ts'
import { ownLogin } from './people.ts'
import { whyNoProgram } from './targets/programs.ts'
import { TerminalClient } from './terminal-client.ts'
import { agentHostname, createWorld, sshdHostname } from './world.ts'

describe.skipIf(whyNoProgram('sshd'))('a world', () => {
  test('has two servers that bob uses, a log that carol reads, and nothing for dan', { timeout: 30_000 }, async () => {
    await using world = await createWorld({ people: ['bob', 'carol', 'dan'] })
    const [bob, carol, dan] = await Promise.all([world.signIn('bob'), world.signIn('carol'), world.signIn('dan')])
    const params = { clusterId: world.cluster }

    const { items } = await bob.call(nodes, { params, query: {} })
    expect(items.map(({ hostname }) => hostname).toSorted()).toEqual([sshdHostname, agentHostname])
    await expect(dan.call(nodes, { params, query: {} })).resolves.toMatchObject({ items: [] })

    for (const serverId of [world.agentId, world.sshd?.id ?? '']) {
      await using terminal = await TerminalClient.open(bob, { cluster: world.cluster, serverId, login: ownLogin })
      terminal.type("printf 'grüße-%d\\n' $((6*7))\n")
      await terminal.see('grüße-42')
      terminal.type('exit\n')
      await terminal.closed()
    }

    const range = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' }
    const { events } = await carol.call(searchEvents, { params, query: range })
    expect(events.filter(({ event }) => event === 'session.start')).toHaveLength(2)
    await expect(dan.call(searchEvents, { params, query: range })).rejects.toBeInstanceOf(RefusedError)
  })
})
