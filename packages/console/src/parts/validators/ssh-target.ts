import { parseSshTarget } from '../ssh-target.ts'
import type { Problem } from './problem.ts'

/** With or without a port. */
export const sshTarget = (text: string): Problem => (parseSshTarget(text) ? undefined : 'Use login@host')
