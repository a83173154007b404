/** Files on servers as transfers see them, whatever protocol the server speaks. */
import type { Readable } from 'node:stream'
import { accessDenied, alreadyExists, AppError, badParameter, connectionProblem, notFound } from '../../../core/errors.ts'
import { sftpStatus } from '@sallyport/protocols/ssh/sftp.ts'
import { SftpError } from '../sftp.ts'
import { SshError } from '../ssh-error.ts'

/** An open file that can be read. */
export interface RemoteSource {
  /** The path in full, as far as the server tells. */
  readonly path: string
  readonly size: number
  /** Seconds since 1970; undefined when the server does not tell. */
  readonly modified: number | undefined
  /** Whether reading may begin anywhere; otherwise it is read once, from the beginning. */
  readonly canSeek: boolean
  /** The bytes from `start` on and before `end`. Breaks when the file has become shorter. */
  read(start: number, end: number): AsyncIterable<Buffer>
  close(): Promise<void>
}

/** An open file that is written once, from its beginning. */
export interface RemoteTarget {
  readonly path: string
  /** Writes everything and closes the file. Resolves with its size when the server has said that all of it is there. */
  write(bytes: Readable): Promise<number>
  /** Gives up: closes the file and removes it, if it was not there before. Does not reject. */
  discard(): Promise<void>
}

export interface TargetRequest {
  /** A directory, or the whole path of the file. */
  readonly location: string
  readonly filename: string
  /** False: a file that is there already is refused. */
  readonly overwrite: boolean
  readonly createFolders: boolean
  /** Bytes of the file; undefined where that is not known beforehand. */
  readonly size: number | undefined
}

export const createdMode = 0o644

export const directoryRefusal = (path: string): AppError =>
  badParameter(`"${path}" is a directory, and directory transfer is not supported in the web UI; use the command line: scp -r`)
export const notRegular = (path: string): AppError => badParameter(`"${path}" is not a regular file; only files can be copied`)
export const nameTaken = (path: string): AppError => alreadyExists(`"${path}" exists already`)
export const noMatch = (path: string): AppError => notFound(`no file matches "${path}"`)
export const manyMatches = (path: string, count: number | string): AppError =>
  badParameter(`"${path}" matches ${count} files; name one of them`)

/** What a server's refusal means for the person who asked, in words about the path that they named. */
export function refusalOf(error: unknown, path: string): unknown {
  if (error instanceof SftpError) return sftpRefusal(error, path)
  if (!(error instanceof SshError)) return error
  if (error.code === 'login-refused') return accessDenied(error.message, { cause: error })
  return connectionProblem(error.message, { cause: error })
}

function sftpRefusal(error: SftpError, path: string): AppError {
  const options = { cause: error }
  if (error.code === sftpStatus.noSuchFile) return notFound(`"${path}" does not exist on the server`, options)
  if (error.code === sftpStatus.permissionDenied) return accessDenied(`the server does not let this login use "${path}"`, options)
  return failed(path, error.message, options)
}

/** For what went wrong on the server itself, in its words. */
export const failed = (path: string, reason: string, options?: ErrorOptions): AppError =>
  new AppError('internal', `the server could not finish with "${path}": ${reason}`, options)

/** Words of programs on the server are cut and freed of control characters: they are shown to people. */
export const plainWords = (text: string): string =>
  text
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, 300)
