declare module 's3rver' {
  import type { RequestListener } from 'node:http'
  export default class S3rver {
    constructor(options: { directory: string; silent: boolean; address?: string; port?: number })
    callback(): RequestListener
  }
}
