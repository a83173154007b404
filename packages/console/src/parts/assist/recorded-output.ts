/** What a command printed, read again from its recording. */
import { queryOptions } from '@tanstack/react-query'
import { recordingEvents, recordingStream } from '@sallyport/wire/calls/playback.ts'
import { request, requestRaw } from '../../api/page.ts'

export interface RecordedOutput {
  output: string
  /** Bytes at its end that are not read here. */
  left: number
  exitCode: number | undefined
}

const mostBytes = 200_000

export const recordedOutput = (clusterId: string, sid: string) =>
  queryOptions({
    queryKey: ['assist.recorded', clusterId, sid],
    staleTime: Infinity,
    queryFn: async ({ signal }): Promise<RecordedOutput> => {
      const params = { clusterId, sid }
      const { events } = await request(recordingEvents, { params, query: {} }, { signal })
      const exec = events.find(({ event }) => event === 'exec')
      const total = events.reduce((sum, event) => sum + (event.event === 'print' ? Number(event['bytes'] ?? 0) : 0), 0)
      const bytes = Math.min(total, mostBytes)
      const output = bytes === 0 ? '' : await (await requestRaw(recordingStream, { params, query: { bytes } }, { signal })).text()
      const code = Number(exec?.['exitCode'] ?? NaN)
      // Recordings are of terminals, whose lines end with a return as well.
      return { output: output.replaceAll('\r\n', '\n'), left: total - bytes, exitCode: Number.isNaN(code) ? undefined : code }
    },
  })
