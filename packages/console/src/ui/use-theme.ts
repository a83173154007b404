import { useStore } from './store.ts'
import { createTheme, type Theme, type ThemeName, type ThemeState } from './theme.ts'

let theme: Theme | undefined

/** The page's theme. Call once in main before the first render; public/before-start.js has set the attribute before that. */
export function startTheme(): Theme {
  theme ??= createTheme({
    storage: window.localStorage,
    dark: window.matchMedia('(prefers-color-scheme: dark)'),
    onStorage: (listener) => window.addEventListener('storage', (event) => listener(event.key)),
    apply: (name) => {
      document.documentElement.dataset['theme'] = name
    },
  })
  return theme
}

/** The theme in force, the choice behind it, and the way to change it. */
export function useTheme(): ThemeState & { choose: Theme['choose']; toggle(): void } {
  const current = startTheme()
  const state = useStore(current.store)
  const other: ThemeName = state.name === 'dark' ? 'light' : 'dark'
  return { ...state, choose: current.choose, toggle: () => current.choose(other) }
}
