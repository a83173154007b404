/** Go-style durations: `8h0m0s`, `30m`, `1d12h`. */
export const whyNotDuration = (text: string): string | undefined =>
  text === 'never' || /^0$|^(\d+(\.\d+)?(d|h|ms|m|s))+$/.test(text) ? undefined : 'Use a duration like 2h45m'
