import type { RouteName } from '@sallyport/wire/routes.ts'

/** The same screen for two occasions. */
export function wordsOf(name: RouteName): { title: string; lead: string; start: string; isReset: boolean } {
  const isReset = name === 'reset' || name === 'resetContinue'
  return isReset
    ? { title: 'Reset how you sign in', lead: 'Choose a new password and second factor for', start: 'Begin', isReset }
    : { title: 'Set up your account', lead: 'You were invited to', start: 'Get started', isReset }
}
