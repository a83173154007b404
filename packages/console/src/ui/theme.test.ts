import { expect, test } from 'vitest'
import { createTheme, THEME_KEY, THEME_SYSTEM_KEY, type ThemeHost } from './theme.ts'

function browser(stored: Record<string, string> = {}, systemDark = false) {
  const values = new Map(Object.entries(stored))
  const applied: string[] = []
  let tell: (key: string | null) => void = () => undefined
  let systemChanged: () => void = () => undefined
  const dark = {
    matches: systemDark,
    addEventListener: (_: string, listener: unknown) => {
      systemChanged = listener as () => void
    },
  }
  const host: ThemeHost = {
    storage: {
      getItem: (key) => values.get(key) ?? null,
      setItem: (key, value) => void values.set(key, value),
      removeItem: (key) => void values.delete(key),
    },
    dark: dark as ThemeHost['dark'],
    onStorage: (listener) => {
      tell = listener
    },
    apply: (name) => applied.push(name),
  }
  return {
    host,
    values,
    applied,
    otherTab(key: string, value: string) {
      values.set(key, value)
      tell(key)
    },
    system(isDark: boolean) {
      dark.matches = isDark
      systemChanged()
    },
  }
}

test('light until somebody chooses; the choice is stored under the fixed key', () => {
  const tab = browser()
  const theme = createTheme(tab.host)
  expect(theme.store.get()).toEqual({ choice: 'light', name: 'light' })
  theme.choose('dark')
  expect(tab.values.get(THEME_KEY)).toBe('dark')
  expect(tab.applied).toEqual(['light', 'dark'])
})

test('a value that is no theme counts as light', () => {
  expect(createTheme(browser({ [THEME_KEY]: 'purple' }).host).store.get().name).toBe('light')
})

test('follows the choice of another tab, and ignores other keys', () => {
  const tab = browser()
  const theme = createTheme(tab.host)
  tab.otherTab('something', 'dark')
  expect(theme.store.get().name).toBe('light')
  tab.otherTab(THEME_KEY, 'dark')
  expect(theme.store.get()).toEqual({ choice: 'dark', name: 'dark' })
})

test('match system follows the system, and keeps the fixed key a plain theme', () => {
  const tab = browser({}, true)
  const theme = createTheme(tab.host)
  theme.choose('system')
  expect(theme.store.get()).toEqual({ choice: 'system', name: 'dark' })
  expect(tab.values.get(THEME_KEY)).toBe('dark')
  tab.system(false)
  expect(theme.store.get()).toEqual({ choice: 'system', name: 'light' })
  expect(tab.values.get(THEME_KEY)).toBe('light')
  theme.choose('dark')
  expect(tab.values.has(THEME_SYSTEM_KEY)).toBe(false)
  tab.system(false)
  expect(theme.store.get().name).toBe('dark')
})

test('storage that refuses does not stop the theme', () => {
  const tab = browser()
  tab.host.storage.setItem = () => {
    throw new Error('denied')
  }
  const theme = createTheme(tab.host)
  theme.choose('dark')
  expect(theme.store.get().name).toBe('dark')
})
