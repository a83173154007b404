import { createStore, type Store } from './store.ts'

/** What a person may choose; 'system' follows the operating system. */
export type ThemeChoice = 'light' | 'dark' | 'system'
export type ThemeName = 'light' | 'dark'
export type ThemeState = { choice: ThemeChoice; name: ThemeName }

/** Holds 'light' or 'dark', also when the system decides, so that any reader of the key gets a valid theme. */
export const THEME_KEY = 'grv_teleport_ui_theme'
/** Present ('true') when the choice is "match system". */
export const THEME_SYSTEM_KEY = 'sallyport_theme_system'

/** The parts of the browser the theme touches, given so that tests need no browser. */
export type ThemeHost = {
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
  dark: Pick<MediaQueryList, 'matches' | 'addEventListener'>
  onStorage(listener: (key: string | null) => void): void
  apply(name: ThemeName): void
}

export type Theme = { store: Store<ThemeState>; choose(choice: ThemeChoice): void }

/** Reads the stored theme (light when there is none), applies it, and follows other tabs and the system. */
export function createTheme(host: ThemeHost): Theme {
  const read = (): ThemeState => {
    const stored: ThemeName = readKey(host, THEME_KEY) === 'dark' ? 'dark' : 'light'
    if (readKey(host, THEME_SYSTEM_KEY) !== 'true') return { choice: stored, name: stored }
    return { choice: 'system', name: host.dark.matches ? 'dark' : 'light' }
  }
  const store = createStore(read())
  const refresh = () => {
    const next = read()
    const now = store.get()
    if (next.choice === now.choice && next.name === now.name) return
    store.set(next)
    host.apply(next.name)
  }
  host.apply(store.get().name)
  host.onStorage((key) => {
    if (key === null || key === THEME_KEY || key === THEME_SYSTEM_KEY) refresh()
  })
  host.dark.addEventListener('change', () => {
    const name: ThemeName = host.dark.matches ? 'dark' : 'light'
    if (store.get().choice === 'system') writeKey(host, THEME_KEY, name)
    refresh()
  })
  return {
    store,
    choose(choice) {
      const name: ThemeName = choice === 'system' ? (host.dark.matches ? 'dark' : 'light') : choice
      writeKey(host, THEME_SYSTEM_KEY, choice === 'system' ? 'true' : undefined)
      writeKey(host, THEME_KEY, name)
      store.set({ choice, name })
      host.apply(name)
    },
  }
}

// Storage may be forbidden (private windows, policies); the theme then lasts as long as the page.
function readKey(host: ThemeHost, key: string): string | null {
  try {
    return host.storage.getItem(key)
  } catch {
    return null
  }
}

function writeKey(host: ThemeHost, key: string, value: string | undefined): void {
  try {
    if (value === undefined) host.storage.removeItem(key)
    else host.storage.setItem(key, value)
  } catch {
    return
  }
}
