/** Which screen stands at which route, but for those of the main layout. What is not built answers 404. */
import { routes } from '@sallyport/wire/routes.ts'
import type { RouteName } from '@sallyport/wire/routes.ts'
import { lazyScreen } from './parts/lazy-screen.tsx'
import type { Screen } from './parts/lazy-screen.tsx'

const outcome = lazyScreen(async () => (await import('./screens/outcome/LoginFailed.tsx')).LoginFailed)
const invite = lazyScreen(async () => (await import('./screens/invite/Welcome.tsx')).Welcome)
const credentials = lazyScreen(async () => (await import('./screens/invite/Credentials.tsx')).Credentials)
const recover = lazyScreen(async () => (await import('./screens/recovery/Recover.tsx')).Recover)
const terminal = lazyScreen(async () => (await import('./screens/terminal/Terminal.tsx')).Terminal)

export const screens: Partial<Record<RouteName, Screen>> = {
  login: lazyScreen(async () => (await import('./screens/login/Login.tsx')).Login),
  loginSuccess: lazyScreen(async () => (await import('./screens/outcome/LoginSuccess.tsx')).LoginSuccess),
  loginFailed: outcome,
  loginFailedLegacy: outcome,
  loginFailedCallback: outcome,
  loginFailedAuth: outcome,
  invite,
  reset: invite,
  inviteContinue: credentials,
  resetContinue: credentials,
  recover,

  launch: lazyScreen(async () => (await import('./screens/launcher/Launcher.tsx')).Launcher),
  headless: lazyScreen(async () => (await import('./screens/headless/Headless.tsx')).Headless),

  console: terminal,
  consoleNodes: terminal,
  consoleConnect: terminal,
  consoleSession: terminal,
  desktop: lazyScreen(async () => (await import('./screens/desktop/DesktopSession.tsx')).DesktopSession),
  consoleDatabase: lazyScreen(async () => (await import('./screens/sql/SqlConsole.tsx')).SqlConsole),
  player: lazyScreen(async () => (await import('./screens/player/Player.tsx')).Player),
}

/** Screens of the main layout come with it (main-screens.tsx). */
export const isBuilt = (name: RouteName): boolean => name in screens || routes[name].layout === 'main'
