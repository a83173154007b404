/** A row of the session recordings, derived from the event that ended the session. */
import type { AuditEventWire } from '../audit/event.ts'
import { durationInWords } from './duration-in-words.ts'

export type RecordingType = 'desktop' | 'k8s' | 'ssh'
export const recordingTypes = ['ssh', 'k8s', 'desktop'] as const satisfies readonly RecordingType[]

export interface Recording {
  /** Milliseconds; 0 when start or end is unknown. */
  duration: number
  durationText: string
  sid: string
  createdDate: Date
  users: string
  hostname: string
  description: 'play' | 'non-interactive' | 'recording disabled'
  recordingType: RecordingType
  playable: boolean
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

function durationOf(event: AuditEventWire): number | undefined {
  const start = Date.parse(text(event['session_start']))
  const stop = Date.parse(text(event['session_stop']))
  return Number.isNaN(start) || Number.isNaN(stop) ? undefined : stop - start
}

export function toRecording(event: AuditEventWire): Recording {
  const duration = durationOf(event)
  const common = {
    duration: duration ?? 0,
    durationText: duration === undefined ? '' : durationInWords(duration),
    sid: text(event['sid']),
    createdDate: new Date(event.time),
  }
  if (event.code === 'TDP01I') {
    const recorded = event['recorded'] === true
    return {
      ...common,
      users: text(event.user),
      hostname: text(event['desktop_name']) || 'N/A',
      description: recorded ? 'play' : 'recording disabled',
      recordingType: 'desktop',
      playable: recorded,
    }
  }
  const off = event['session_recording'] === 'off'
  const interactive = event['interactive'] === true
  const participants = Array.isArray(event['participants']) ? event['participants'].map(text) : []
  const kube = [event['kubernetes_cluster'], event['kubernetes_pod_namespace'], event['kubernetes_pod_name']].map(text).join('/')
  return {
    ...common,
    users: participants.length > 0 ? participants.join(', ') : event['proto'] === 'kube' ? text(event.user) : '',
    hostname: event['proto'] === 'kube' ? kube : text(event['server_hostname']) || 'N/A',
    description: off ? 'recording disabled' : interactive ? 'play' : 'non-interactive',
    recordingType: text(event['kubernetes_cluster']) ? 'k8s' : 'ssh',
    playable: !off && interactive,
  }
}
