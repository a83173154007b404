/** The first file of a `multipart/form-data` body (RFC 7578), read as it comes. */
import { badParameter } from '../../../core/errors.ts'

const headLimit = 16 * 1024

/** Undefined for bodies of any other type. Throws bad parameter for a form without a boundary. */
export function boundaryOf(contentType: string | undefined): string | undefined {
  if (!/^multipart\/form-data\b/i.test(contentType?.trim() ?? '')) return undefined
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType ?? '') ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw badParameter('the form has no boundary')
  return boundary
}

/** Throws bad parameter when no file is in it, or when its end is missing. */
export async function* firstFile(body: AsyncIterable<Buffer>, boundary: string): AsyncGenerator<Buffer> {
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  const chunks = body[Symbol.asyncIterator]()
  // As if a line had ended before the first delimiter too.
  let rest = Buffer.from('\r\n')
  const more = async (): Promise<boolean> => {
    const next = await chunks.next()
    if (next.done === true) return false
    rest = Buffer.concat([rest, next.value])
    return true
  }
  /** What comes before `mark`, which is taken too. */
  const head = async (mark: Buffer): Promise<string> => {
    let at = rest.indexOf(mark)
    while (at === -1) {
      if (rest.length > headLimit || !(await more())) throw badParameter('the form holds no file')
      at = rest.indexOf(mark)
    }
    const text = rest.subarray(0, at).toString('utf8')
    rest = rest.subarray(at + mark.length)
    return text
  }
  /** The body of a part, up to the delimiter behind it. */
  async function* part(): AsyncGenerator<Buffer> {
    for (;;) {
      const at = rest.indexOf(delimiter)
      // A delimiter may have begun in the last bytes.
      const sure = at === -1 ? Math.max(0, rest.length - delimiter.length + 1) : at
      if (sure > 0) yield rest.subarray(0, sure)
      rest = rest.subarray(sure)
      if (at !== -1) return void (rest = rest.subarray(delimiter.length))
      if (!(await more())) throw badParameter('the form has no end')
    }
  }

  await head(delimiter)
  for (;;) {
    if ((await head(Buffer.from('\r\n'))).startsWith('--')) throw badParameter('the form holds no file')
    const headers = await head(Buffer.from('\r\n\r\n'))
    const isFile = /^content-disposition:[^\r\n]*;\s*filename\*?=/im.test(headers)
    for await (const bytes of part()) if (isFile) yield bytes
    if (isFile) break
  }
  // The rest of the form is read, so that the sender can finish.
  while (!(await chunks.next()).done);
}
