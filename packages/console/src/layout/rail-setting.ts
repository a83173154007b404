import { settingPrefix } from '../api/session-storage.ts'

const key = `${settingPrefix}nav_rail`

/** Whether the viewer collapsed the side navigation; undefined while the window's width decides. */
export const railSetting = {
  read: (): boolean | undefined => {
    const stored = window.localStorage.getItem(key)
    return stored === null ? undefined : stored === 'true'
  },
  write: (rail: boolean): void => window.localStorage.setItem(key, String(rail)),
}
