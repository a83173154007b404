/** An authenticator app: gives codes, each only once, as the proxy takes them. */
import { generate } from 'otplib'

const period = 30
/** Seconds that a busy machine may take to bring a code to the proxy. */
const way = 10

/** Resolves at that moment (epoch milliseconds) or after it; a timer alone may be early by the clock of the day. */
async function reach(moment: number): Promise<void> {
  for (let left = moment - Date.now(); left > 0; left = moment - Date.now()) await new Promise((resolve) => setTimeout(resolve, left))
}

/** The proxy takes codes of the period before, of now and of the next one; an app that has used them up has to wait. */
export class Authenticator {
  readonly secret: string
  #lastStep = 0

  constructor(secret: string) {
    this.secret = secret
  }

  async code(): Promise<string> {
    const seconds = Date.now() / 1000
    const now = Math.floor(seconds / period)
    const oldestOnArrival = Math.floor((seconds + way) / period) - 1
    const step = Math.max(this.#lastStep + 1, oldestOnArrival)
    // Taken before the wait: whoever asks meanwhile gets the next one.
    this.#lastStep = step
    if (step > now + 1) await reach((step - 1) * period * 1000)
    return generate({ secret: this.secret, epoch: step * period })
  }
}
