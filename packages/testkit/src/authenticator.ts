/** An authenticator app: gives codes, each only once, as the proxy takes them. */
import { generate } from 'otplib'

const period = 30
/** Seconds that a busy machine may take to bring a code to the proxy. */
const way = 10

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
    if (step > now + 1) await new Promise((resolve) => setTimeout(resolve, (step - 1) * period * 1000 - Date.now()))
    this.#lastStep = step
    return generate({ secret: this.secret, epoch: step * period })
  }
}
