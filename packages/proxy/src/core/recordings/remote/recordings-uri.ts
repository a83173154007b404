/** `s3://bucket/prefix?endpoint=https://host&region=eu-west-1&path_style=true` */
export interface S3Place {
  bucket: string
  /** Empty, or ends with a slash. */
  prefix: string
  endpoint: string | undefined
  region: string
  /** The bucket in the path instead of the host name, as servers other than Amazon's take it. */
  pathStyle: boolean
}

const known = ['endpoint', 'region', 'path_style']

/** The place, or what is wrong about the text. */
export function readRecordingsUri(text: string): S3Place | string {
  const uri = URL.parse(text)
  if (uri?.protocol !== 's3:' || uri.host === '') return 'must begin with s3:// and the name of a bucket'
  if (uri.username !== '' || uri.password !== '')
    return 'must not hold credentials; give them in the environment or the shared credentials file'
  for (const name of uri.searchParams.keys()) if (!known.includes(name)) return `has no option "${name}"; there are ${known.join(', ')}`
  const endpoint = uri.searchParams.get('endpoint') ?? undefined
  if (endpoint !== undefined && !/^https?:\/\/[^/]+\/?$/.test(endpoint)) return 'its endpoint must be an address such as https://host:9000'
  const folder = uri.pathname.replaceAll(/^\/+|\/+$/g, '')
  return {
    bucket: uri.host,
    prefix: folder === '' ? '' : `${decodeURIComponent(folder)}/`,
    endpoint,
    region: uri.searchParams.get('region') ?? 'us-east-1',
    pathStyle: (uri.searchParams.get('path_style') ?? String(endpoint !== undefined)) === 'true',
  }
}
