/** A terminal that is drawn by a graphics unit, when the unit goes away. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ownLogin } from '@sallyport/testkit/people.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { createWorld, type World } from '@sallyport/testkit/world.ts'
import { openBrowser } from './browser.ts'
import { typeInTerminal } from './terminal-keys.ts'
import { screenText } from './terminal-screen.ts'
import { signedIn } from './visitor.ts'

/** `UNMASKED_RENDERER_WEBGL` */
const rendererName = 0x9246

describe.skipIf(whyNoProgram('chromium'))('a terminal on a graphics unit', () => {
  let world: World
  let browser: Browser
  beforeAll(async () => {
    world = await createWorld({ people: ['alice'] })
    browser = await openBrowser('software graphics')
  })
  afterAll(async () => {
    await browser.close()
    await world[Symbol.asyncDispose]()
  })

  test('when the unit is lost, the terminal shows all that it had, and goes on', async () => {
    const { page, noErrors } = await signedIn(browser, world, 'alice')
    // The unit of this machine is a program, which the console would not draw with: it says that it is another one.
    await page.addInitScript((name) => {
      const { getContext } = HTMLCanvasElement.prototype
      const contexts: WebGL2RenderingContext[] = []
      Reflect.set(window, 'graphics', contexts)
      HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string, options?: object) {
        const context: unknown = Reflect.apply(getContext, this, [kind, { ...options, failIfMajorPerformanceCaveat: false }])
        if (context instanceof WebGL2RenderingContext) contexts.push(context)
        return context
      } as typeof getContext
      const { getParameter } = WebGL2RenderingContext.prototype
      WebGL2RenderingContext.prototype.getParameter = function (this: WebGL2RenderingContext, what: number): unknown {
        return what === name ? 'a fast graphics unit' : Reflect.apply(getParameter, this, [what])
      }
    }, rendererName)
    await page.goto(`${world.url}/web/cluster/${world.cluster}/console/node/${world.agentId}/${ownLogin}`)
    await page.waitForURL(/\/console\/session\//)
    await page.locator('.xterm-screen canvas').first().waitFor()
    await page.locator('.xterm-rows').waitFor({ state: 'detached' })
    await typeInTerminal(page, 'echo before-$((6*7))\n')
    await page.evaluate(() => {
      for (const context of Reflect.get(window, 'graphics') as WebGL2RenderingContext[])
        context.getExtension('WEBGL_lose_context')?.loseContext()
    })
    await expect.poll(() => screenText(page)).toMatch(/^before-42$/m)
    await typeInTerminal(page, 'echo after-$((6*7))\n')
    await expect.poll(() => screenText(page)).toMatch(/^after-42$/m)
    noErrors()
    await page.context().close()
  })
})
