/** Who has a session with what: the facts that every event of a session tells. */
import type { AssumedRequest } from '../access/assumed.ts'
import { trustedDeviceFields } from '../device-trust/device.ts'
import type { TrustedDevice } from '../device-trust/device.ts'
import type { Actor } from '../caller.ts'
import type { SessionKind } from '../access/session-access.ts'

export interface SessionSubject {
  readonly sid: string
  /** The owner. */
  readonly user: string
  /** Whether the owner is a machine. */
  readonly isBot?: boolean | undefined
  readonly login: string
  readonly clusterName: string
  readonly node: {
    readonly id: string
    readonly hostname: string
    readonly addr: string
    readonly labels: Readonly<Record<string, string>>
  }
  /** The container, where it is one of a Kubernetes cluster; `node` is the cluster then, and `login` the user there. */
  readonly kubernetes?: KubernetesPod | undefined
  /** `ip:port` of the owner's client. */
  readonly address: string
  readonly size: TerminalSize
  /** What runs instead of a shell. */
  readonly command?: string | undefined
  /** The access requests that the owner had assumed. */
  readonly assumed?: readonly Pick<AssumedRequest, 'id'>[] | undefined
  /** The device that the owner came from, when it has proved itself. */
  readonly trustedDevice?: TrustedDevice | undefined
  /** Id of the key that confirmed it, where one had to. */
  readonly withMfa?: string | undefined
  /** False without a terminal. */
  readonly isInteractive: boolean
}

export interface KubernetesPod {
  readonly namespace: string
  readonly pod: string
  /** Empty for the one that the cluster chooses. */
  readonly container: string
  /** Of the cluster, that the owner has there. */
  readonly groups: readonly string[]
}

/** As the list of sessions and rules about joining name it. */
export const sessionKindOf = ({ kubernetes }: Pick<SessionSubject, 'kubernetes'>): SessionKind => (kubernetes ? 'k8s' : 'ssh')

export interface TerminalSize {
  readonly columns: number
  readonly rows: number
}

export const sizeText = ({ columns, rows }: TerminalSize): string => `${columns}:${rows}`

export const initialCommand = ({ command }: SessionSubject): string[] => (command === undefined ? [] : [command])

const human = 1
const machine = 2
export const userKindOf = (isBot: boolean | undefined) => ({ user_kind: isBot === true ? machine : human })

/** What events tell about who acts. */
export const actorFields = ({
  username,
  isBot,
  assumed,
  trustedDevice,
}: Pick<Actor, 'username' | 'isBot' | 'trustedDevice'> & Pick<SessionSubject, 'assumed'>) => ({
  user: username,
  ...userKindOf(isBot),
  ...requestFields(assumed),
  ...trustedDeviceFields(trustedDevice),
})

/** What events tell about the access that somebody had assumed. */
export const requestFields = (assumed: readonly Pick<AssumedRequest, 'id'>[] = []) =>
  assumed.length > 0 ? { access_requests: assumed.map(({ id }) => id) } : {}

/** What events tell about the key that confirmed a session. */
export const proofFields = (withMfa: string | undefined) => (withMfa === undefined ? {} : { with_mfa: withMfa })

/** Recorded events carry these; `user` and `address` may be another party's. */
export const commonFields = (subject: SessionSubject, user = subject.user, address = subject.address) => ({
  sid: subject.sid,
  user,
  login: subject.login,
  // Machines join nobody's session.
  ...userKindOf(user === subject.user && subject.isBot),
  ...(user === subject.user && {
    ...requestFields(subject.assumed),
    ...trustedDeviceFields(subject.trustedDevice),
    ...proofFields(subject.withMfa),
  }),
  namespace: 'default',
  server_id: subject.node.id,
  server_hostname: subject.node.hostname,
  server_addr: subject.node.addr,
  server_labels: subject.node.labels,
  'addr.remote': address,
  ...(subject.kubernetes ? kubernetesFields(subject, subject.kubernetes) : { proto: 'ssh' }),
})

const kubernetesFields = ({ node, login }: SessionSubject, { namespace, pod, container, groups }: KubernetesPod) => ({
  proto: 'kube',
  kubernetes_cluster: node.hostname,
  kubernetes_labels: node.labels,
  kubernetes_users: [login],
  kubernetes_groups: groups,
  kubernetes_pod_namespace: namespace,
  kubernetes_pod_name: pod,
  kubernetes_container_name: container,
})

/**
 * How sessions are recorded, as events tell it. The proxy writes the recording while the session runs; consoles take
 * values that name the proxy for sessions that nobody can join, and these can be joined.
 */
export const recordedWhileRunning = 'node-sync'
export const notRecorded = 'off'

/** Indexes that stand for no place in the session's order. */
export const dataEi = 2147483646
export const uploadEi = 2147483647
