/** What a bench tells the runner that started it. */

export interface Row {
  measure: string
  ours: number
  unit: string
  /** A peer's figure or a raw limit, read in the same run. */
  against?: { name: string; value: number }
  /** What is aimed at, and whether this run reached it. */
  aim?: { text: string; holds: boolean }
}

export type Report = { kind: 'row'; row: Row } | { kind: 'skipped'; measure: string; reason: string } | { kind: 'note'; text: string }

/** To the runner, or to standard output when the bench was started by hand. */
function tell(report: Report): void {
  if (process.send) process.send(report)
  else console.log(JSON.stringify(report))
}

export const report = (row: Row): void => tell({ kind: 'row', row })
export const skip = (measure: string, reason: string): void => tell({ kind: 'skipped', measure, reason })
/** Something a reader of the figures should know. */
export const note = (text: string): void => tell({ kind: 'note', text })
