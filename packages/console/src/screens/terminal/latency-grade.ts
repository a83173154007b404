import type { SessionState } from './session-state.ts'

/** Worst leg from which the latency counts as slow, and as bad (ms). */
const marks = { slow: 150, bad: 400 }

/** How the slower of the two legs is to be judged. */
export function latencyGrade(latency: SessionState['latency']): 'unknown' | 'good' | 'slow' | 'bad' {
  if (!latency) return 'unknown'
  const worst = Math.max(latency.viewer, latency.server)
  return worst >= marks.bad ? 'bad' : worst >= marks.slow ? 'slow' : 'good'
}
