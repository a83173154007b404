/** A world in a process of its own, for tests that kill it: says on standard output how to reach it as alice, then runs on. */
import { createWorld } from './world.ts'

const world = await createWorld({ people: ['alice'] })
const { origin, bearer, cookieHeader } = await world.signIn('alice')
const { dataDir, cluster, agentId } = world
process.stdout.write(`${JSON.stringify({ origin, bearer, cookieHeader, dataDir, cluster, agentId })}\n`)
