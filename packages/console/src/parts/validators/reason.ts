import type { Problem } from './problem.ts'

/** Of an access request, where the viewer's roles ask for one. */
export const reason = (text: string, isNeeded: boolean): Problem => (isNeeded && text.trim() === '' ? 'Say why you need this' : undefined)
