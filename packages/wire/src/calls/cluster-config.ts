/** Ours: the cluster's settings, one document for each of signing in, sessions and recording. */
import * as z from 'zod/mini'
import type { ResourceKind } from '../acl.ts'
import { call, rule } from '../call.ts'
import { clusterConfigWire } from '../entities/cluster-config.ts'

const change = z.object({
  /** Fields that are not given go back to their default. */
  spec: z.record(z.string().check(z.maxLength(64)), z.unknown()),
  /** Of the document that was read; empty while nothing was stored. Another one answers 412. */
  revision: z._default(z.string().check(z.maxLength(64)), ''),
  /** Makes a change that was refused with warnings. */
  force: z._default(z.boolean(), false),
})

const document = <K extends string>(id: K, path: string, kind: ResourceKind) => ({
  read: call({ id: `clusterConfig.read${id}`, method: 'GET', path, allow: rule(kind, 'read'), out: clusterConfigWire }),
  write: call({ id: `clusterConfig.write${id}`, method: 'PUT', path, allow: rule(kind, 'update'), body: change, out: clusterConfigWire }),
})

const authPreference = document('AuthPreference', '/v1/webapi/clusterconfig/authpreference', 'cluster_auth_preference')
export const { read: readAuthPreference, write: writeAuthPreference } = authPreference
const networking = document('Networking', '/v1/webapi/clusterconfig/networking', 'cluster_networking_config')
export const { read: readNetworking, write: writeNetworking } = networking
const sessionRecording = document('SessionRecording', '/v1/webapi/clusterconfig/sessionrecording', 'session_recording_config')
export const { read: readSessionRecording, write: writeSessionRecording } = sessionRecording
