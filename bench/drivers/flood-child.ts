/** A browser tab in which `yes` runs, until its parent lets go of it. */
import { once } from 'node:events'
import { openBrowserTerminal } from './browser-terminal.ts'
import type { Place } from './world-process.ts'

const enough = 1_000_000

const ended = once(process, 'disconnect')
const [place] = await once(process, 'message')
await using terminal = await openBrowserTerminal(place as Place)
let seen = 0
terminal.onOutput = ({ length }) => {
  if (seen < enough && seen + length >= enough) process.send?.('flooding')
  seen += length
}
terminal.write('yes\n')
await Promise.race([ended, terminal.lost])
