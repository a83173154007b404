/** A process that uploads one file, and may be killed while it does. */
import { createS3Store } from '@sallyport/proxy/core/recordings/remote/s3-store.ts'
import { readRecordingsUri } from '@sallyport/proxy/core/recordings/remote/recordings-uri.ts'

const [uri = '', name = '', file = ''] = process.argv.slice(2)
const place = readRecordingsUri(uri)
if (typeof place === 'string') throw new Error(place)
await createS3Store(place).put(name, file)
