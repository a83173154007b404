/** P14: fifty sign-ins at once: how many a second, beside bare password hashes, and what other people's calls feel of it. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { join } from 'node:path'
import { ApiClient } from '@sallyport/testkit/api-client.ts'
import { createPasswords } from '@sallyport/proxy/core/identity/passwords.ts'
import { signIn, userStatus } from '@sallyport/wire/calls/session.ts'
import type { SignInPlace } from './drivers/sign-in-child.ts'
import { note, report } from './report.ts'
import { percentile } from './statistics.ts'

const atOnce = 50
const quietCalls = 500
const aim = { share: 0.5, stall: 50 }

const child = fork(join(import.meta.dirname, 'drivers', 'sign-in-child.ts'))
const exited = once(child, 'exit')
const [{ url, names, password }] = (await Promise.race([
  once(child, 'message'),
  exited.then(() => Promise.reject(new Error('the cluster ended at its start'))),
])) as [SignInPlace]

/** Each from a loopback address of its own: the limit on sign-ins counts by address. */
function signInFrom(index: number, cookie: string, csrf: string): Promise<void> {
  const body = JSON.stringify({ user: names[index % names.length], pass: password })
  return new Promise((resolve, reject) => {
    const sent = request(
      url + signIn.path,
      {
        method: 'POST',
        localAddress: `127.0.1.${index + 1}`,
        headers: { cookie, 'x-csrf-token': csrf, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      },
      (answer) => {
        answer.resume()
        answer.once('end', () =>
          answer.statusCode === 200 ? resolve() : reject(new Error(`a sign-in was answered with ${answer.statusCode}`)),
        )
      },
    )
    sent.once('error', reject)
    sent.end(body)
  })
}

const other = new ApiClient(url)
await other.loadPage()
other.bearer = (await other.call(signIn, { body: { user: names[0] ?? '', pass: password } })).token
async function timeOfCall(): Promise<number> {
  const begun = performance.now()
  await other.call(userStatus)
  return performance.now() - begun
}
const quiet: number[] = []
for (let count = 0; count < quietCalls; count += 1) quiet.push(await timeOfCall())

// Bare hashes with the cost and concurrency of the product, on the same machine.
const passwords = createPasswords()
const stored = await passwords.hash(password)
const hashing = performance.now()
await Promise.all(Array.from({ length: atOnce }, () => passwords.matches(stored, password)))
const bareRate = atOnce / ((performance.now() - hashing) / 1000)

const csrf = 'ab'.repeat(32)
/** Calls back at the end; resolves with the rate. */
async function signInAll(firstAddress: number, onDone: () => void): Promise<number> {
  const begun = performance.now()
  const all = Array.from({ length: atOnce }, (_, index) => signInFrom(firstAddress + index, `__Host-grv_csrf=${csrf}`, csrf))
  await Promise.all(all).finally(onDone)
  return atOnce / ((performance.now() - begun) / 1000)
}
const rate = await signInAll(0, () => undefined)
// Again, with somebody else at work, who would take their share of the machine from the rate.
const busy: number[] = []
const signInsDone = new AbortController()
const again = signInAll(atOnce, () => signInsDone.abort())
while (!signInsDone.signal.aborted) busy.push(await timeOfCall())
await again

report({
  measure: `sign-ins a second, ${atOnce} at once`,
  ours: rate,
  unit: '/s',
  against: { name: 'bare argon2id', value: bareRate },
  aim: { text: `>= ${aim.share} of bare`, holds: rate >= aim.share * bareRate },
})
report({
  measure: `another call p99 during ${atOnce} sign-ins (${busy.length} calls)`,
  ours: percentile(busy, 0.99),
  unit: 'ms',
  against: { name: 'the same in quiet', value: percentile(quiet, 0.99) },
  aim: { text: `<= quiet + ${aim.stall} ms`, holds: percentile(busy, 0.99) <= percentile(quiet, 0.99) + aim.stall },
})
note('two hashes run at a time, off the event loop; the rest waits its turn')
child.disconnect()
await exited
