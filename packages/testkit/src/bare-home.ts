/**
 * A home without start-up files, for shells that tests start. What stands in a person's own may take long, and must not be
 * killed half way: some of it holds locks that the next shell waits for.
 */
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const bareHome = join(tmpdir(), 'sallyport-bare-home')
mkdirSync(bareHome, { recursive: true })
