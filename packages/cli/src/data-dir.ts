import { resolve } from 'node:path'
import { defaultDataDir } from '@sallyport/proxy/config.ts'

/** The data directory of the proxy to talk to, found as the proxy itself finds it. */
export function dataDirOf(options: { dataDir?: string }): string {
  return resolve(options.dataDir ?? (process.env['SALLYPORT_DATA_DIR'] || defaultDataDir(process.env)))
}
