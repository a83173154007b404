/** The download centre: what this proxy hands out, and the licence of the cluster. */
import * as z from 'zod/mini'
import { call, rule } from '../call.ts'

export const downloadWire = z.object({
  name: z.string(),
  version: z.string(),
  os: z.string(),
  arch: z.string(),
  edition: z.string(),
  /** Absolute, or from the origin. */
  url: z.string(),
  /** In hex. */
  sha256: z.string(),
  /** Bytes. */
  size: z.int(),
})
export type Download = z.output<typeof downloadWire>

/** For who may list downloads or read the licence. */
export const list = call({
  id: 'downloads.list',
  method: 'GET',
  path: '/v1/webapi/downloads',
  allow: 'session',
  out: z.array(downloadWire),
})
/** For the same people. `file` is the last part of an item's `url`. */
export const file = call({
  id: 'downloads.file',
  method: 'GET',
  path: '/v1/webapi/downloads/{file}',
  allow: 'session',
  params: z.object({ file: z.string().check(z.maxLength(255)) }),
  answer: 'raw',
})
/** As a file; 404 where there is none. */
export const license = call({
  id: 'downloads.license',
  method: 'GET',
  path: '/v1/webapi/license',
  allow: rule('license', 'read'),
  answer: 'raw',
})
