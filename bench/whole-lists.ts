/** P26: lists that browsers get as a whole, with 10,000 users, roles, locks and join tokens: typing in the search, sorting, and what stands in the document. */
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld } from '@sallyport/testkit/world.ts'
import { interactions, openAs, openTypist, typeAll } from './drivers/typing.ts'
import { note, report, skip } from './report.ts'

const count = 10_000
const aims = { inp: 100, sort: 200, rows: 20 }
const teams = ['payments', 'search', 'web', 'data'] as const

const teamOf = (index: number): string => teams[index % teams.length] ?? ''
const numbered = (index: number): string => `${teamOf(index)}-${index}`
const many = <T>(one: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => one(index))
const lists = [
  {
    things: 'users',
    path: '/web/users',
    call: '**/v1/webapi/users',
    header: 'Roles',
    answer: () => many((index) => ({ name: numbered(index), roles: [index % 3 === 0 ? 'access' : 'auditor'], authType: 'local' })),
  },
  {
    things: 'roles',
    path: '/web/roles',
    call: '**/v1/webapi/roles',
    header: 'Name',
    answer: () =>
      many((index) => ({
        id: `role:${numbered(index)}`,
        kind: 'role',
        name: numbered(index),
        content: `kind: role\nmetadata:\n  description: what ${numbered(index)} needs\n  name: ${numbered(index)}\nspec:\n  allow:\n    logins: [ops]\n    node_labels:\n      team: ${teamOf(index)}\nversion: v6\n`,
      })),
  },
  {
    things: 'locks',
    path: '/web/locks',
    call: '**/v1/webapi/sites/*/locks',
    header: 'Message',
    answer: () =>
      many((index) => ({ name: `lock-${index}`, targets: { login: numbered(index) }, message: `ticket ${(index * 7919) % count}` })),
  },
  {
    things: 'join tokens',
    path: '/web/tokens',
    call: '**/v1/webapi/tokens',
    header: 'Name',
    answer: () => ({ items: many((index) => ({ id: numbered(index), safeName: numbered(index), roles: ['Node'], method: 'github' })) }),
  },
] as const

async function measure(): Promise<void> {
  await using world = await createWorld({ people: ['alice'], settings: { secondFactor: 'off' } })
  const cookie = (await world.signIn('alice')).cookieHeader
  await using browser = await openTypist()
  for (const { things, path, call, header, answer } of lists) {
    const page = await openAs(browser, world.url, cookie)
    const shown = page.getByText('Showing 1–20 of 10,000')
    await page.route(call, (route) => route.fulfill({ json: answer() }))
    await page.goto(world.url + path)
    await shown.waitFor()
    const most = await typeAll(page, ['payments-12', 'web 77', 'nothing', 'data', 'search-9999'])
    const typed = await interactions(page)
    const inp = typed[0] ?? 16
    report({
      measure: `typing in the search of ${count} ${things}: INP`,
      ours: inp,
      unit: 'ms',
      aim: { text: `<= ${aims.inp} ms`, holds: inp <= aims.inp },
    })
    report({
      measure: `rows of ${things} in the document`,
      ours: most,
      unit: 'rows',
      aim: { text: `<= ${aims.rows}`, holds: most <= aims.rows },
    })
    await page.goto(world.url + path)
    await shown.waitFor()
    const head = page.getByRole('columnheader', { name: header }).getByRole('button')
    for (let round = 0; round < 4; round += 1) {
      const before = page.url()
      await head.click()
      await page.waitForFunction((url) => window.location.href !== url, before)
    }
    const sorted = (await interactions(page))[0] ?? 16
    report({
      measure: `sorting ${count} ${things} by ${header.toLowerCase()}: INP`,
      ours: sorted,
      unit: 'ms',
      aim: { text: `<= ${aims.sort} ms`, holds: sorted <= aims.sort },
    })
    note(`${things}: ${typed.length} keys took 16 ms or longer, the worst ${typed.slice(0, 5).map(Math.round).join(' ')} ms`)
    await page.context().close()
  }
  note("The lists are answered by the bench in the proxy's place: what is measured is the browser alone.")
}

const whyNot = whyNoProgram('chromium')
if (whyNot) skip('lists of 10,000', whyNot)
else await measure()
