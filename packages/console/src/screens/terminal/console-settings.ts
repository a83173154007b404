const askKey = 'sallyport_setting_paste_without_asking'

/** Whether a paste of several lines asks first. Storage may be forbidden; then it asks every time. */
export const pasteSetting = {
  asks(): boolean {
    try {
      return localStorage.getItem(askKey) !== 'true'
    } catch {
      return true
    }
  },
  stopAsking(): void {
    try {
      localStorage.setItem(askKey, 'true')
    } catch {
      return
    }
  },
}
