/** How this viewer likes terminals. Kept in this browser, also when they sign out. */
import * as z from 'zod/mini'
import { terminalThemes } from '../../parts/terminal-engine/terminal-theme.ts'
import { createStore } from '../../ui/store.ts'

/** Begins like every setting that outlives signing out. Spelled out, so that the first terminal does not load what knows the beginning. */
const key = 'sallyport_setting_terminal'

/** Pixels of a letter's height. */
export const fontSizes = { min: 8, max: 32 } as const
/** Lines that may be kept above the screen; the cluster's own number holds where it is higher. */
export const scrollbackChoices = [1000, 5000, 20_000, 100_000] as const

const form = z.object({
  theme: z.catch(z.enum(terminalThemes), 'page'),
  /** Name of a font of this computer; empty for the console's own. */
  font: z.catch(z.string().check(z.maxLength(100)), ''),
  fontSize: z.catch(z.int().check(z.minimum(fontSizes.min), z.maximum(fontSizes.max)), 13),
  scrollback: z.catch(z.int().check(z.minimum(0), z.maximum(scrollbackChoices[3])), 0),
  copyOnSelect: z.catch(z.boolean(), false),
  rightClickPastes: z.catch(z.boolean(), false),
  /** Ctrl+C copies while something is selected, and interrupts otherwise. */
  interruptCopies: z.catch(z.boolean(), false),
  asksBeforePaste: z.catch(z.boolean(), true),
  screenReader: z.catch(z.boolean(), false),
  bell: z.catch(z.boolean(), true),
})
export type TerminalSettings = z.output<typeof form>

/** What is stored; whatever is absent, damaged or out of bounds counts as the default. */
export function parseSettings(stored: string | null): TerminalSettings {
  try {
    return form.parse(JSON.parse(stored ?? '{}'))
  } catch {
    return form.parse({})
  }
}

const stored = (): string | null => {
  try {
    return localStorage.getItem(key)
  } catch {
    return null // forbidden by the browser: the defaults, and changes last as long as the page
  }
}

/** The settings in force in this page. */
export const terminalSettings = createStore<TerminalSettings>(parseSettings('document' in globalThis ? stored() : null))

export function changeSettings(change: Partial<TerminalSettings>): void {
  terminalSettings.set((now) => ({ ...now, ...change }))
  try {
    localStorage.setItem(key, JSON.stringify(terminalSettings.get()))
  } catch {
    return
  }
}
