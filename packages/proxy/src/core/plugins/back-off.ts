const first = 5000
const longest = 15 * 60_000

/** How long to wait after so many failures in a row before this one, in milliseconds. */
export const backOff = (failures: number): number => Math.min(first * 2 ** Math.min(failures, 20), longest)
