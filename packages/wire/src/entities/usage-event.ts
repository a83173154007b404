/** Names of the events that consoles report. */
import * as z from 'zod/mini'

const before: ReadonlySet<string> = new Set([
  'tp.ui.onboard.setCredential.submit',
  'tp.ui.onboard.registerChallenge.submit',
  'tp.ui.onboard.completeGoToDashboard.click',
  'tp.ui.recoveryCodesContinue.click',
  'tp.ui.recoveryCodesCopy.click',
  'tp.ui.recoveryCodesPrint.click',
])
const signedIn: ReadonlySet<string> = new Set([
  'tp.ui.banner.click',
  'tp.ui.onboard.addFirstResource.click',
  'tp.ui.onboard.addFirstResourceLater.click',
  'tp.ui.createNewRole.click',
  'tp.ui.createNewRoleSave.click',
  'tp.ui.createNewRoleCancel.click',
  'tp.ui.createNewRoleViewDocumentation.click',
  'tp.ui.callToAction.click',
  'tp.ui.integrationEnroll.start',
  'tp.ui.integrationEnroll.complete',
])
/** The steps of enrolling a resource have many names under this one. */
export const discoverEvent = /^tp\.ui\.discover\.[\w.]+$/

const eventOf = (isKnown: (event: string) => boolean) => {
  const missing = 'missing required parameter Event'
  const known = z.refine<string>(isKnown, { error: ({ input }) => `invalid event ${String(input)}` })
  return z.string({ error: missing }).check(z.minLength(1, missing), z.maxLength(255), known)
}

export const usageEventBefore = eventOf((event) => before.has(event))
export const usageEvent = eventOf((event) => signedIn.has(event) || discoverEvent.test(event))
