/**
 * The cluster's settings as they hold at this moment. What the configuration of the proxy sets (flag, environment, file)
 * wins and cannot be changed from outside; then comes what an administrator stored; then the default.
 */
import type { z } from 'zod'
import type { SettingSource } from '@sallyport/wire/entities/cluster-config.ts'
import { authPreferenceDocument, networkingDocument, sessionRecordingDocument } from './cluster-documents.ts'
import type { AuthPreference, ClusterDocument, Networking, SessionRecording } from './cluster-documents.ts'
import { badParameter, compareFailed } from '../errors.ts'
import { createResourceStore } from '../resources/resources.ts'
import type { ResourceDeps } from '../resources/resources.ts'

export type ClusterDocumentKind = ClusterDocument<Record<string, unknown>, unknown>['kind']
/** There is one document of each kind. */
export const clusterDocumentNames: Readonly<Record<ClusterDocumentKind, string>> = {
  cluster_auth_preference: authPreferenceDocument.name,
  cluster_networking_config: networkingDocument.name,
  session_recording_config: sessionRecordingDocument.name,
}

/** Kind of document → field → value, and where the configuration sets it, in words. */
export type FixedSettings = Readonly<Partial<Record<ClusterDocumentKind, Readonly<Record<string, { value: unknown; origin: string }>>>>>

export interface ClusterSettings {
  readonly authPreference: AuthPreference
  readonly networking: Networking
  readonly sessionRecording: SessionRecording
  /** Called after any of them has changed. */
  subscribe(listener: () => void): Disposable
}

/** One document, as a person who may change it sees it. */
export interface DocumentState {
  /** Every field, times as text. */
  spec: Readonly<Record<string, unknown>>
  /** What each would be if nothing were stored. */
  defaults: Readonly<Record<string, unknown>>
  sources: Readonly<Record<string, SettingSource>>
  /** Field → where the configuration sets it. */
  origins: Readonly<Record<string, string>>
  /** Empty while nothing is stored. */
  revision: string
}

export interface DocumentChange {
  /** Every field, as it would be. */
  spec: DocumentState['spec']
  /** Fields whose value in force becomes another. */
  changes: readonly { field: string; from: unknown; to: unknown }[]
}

export interface ClusterDocuments {
  read(kind: ClusterDocumentKind): DocumentState
  /**
   * What storing `spec` would make of the document; fields that are absent go back to their default.
   * Throws bad parameter for an unknown field, a wrong value, or one that the configuration sets differently, and compare
   * failed for an old revision.
   */
  preview(kind: ClusterDocumentKind, spec: Readonly<Record<string, unknown>>, revision: string): DocumentChange
  /** Stores it; when it resolves, every reader sees it. Throws what `preview` throws. */
  write(kind: ClusterDocumentKind, spec: Readonly<Record<string, unknown>>, revision: string): Promise<DocumentState>
}

export interface OpenClusterSettings extends ClusterSettings, Disposable {
  readonly documents: ClusterDocuments
}

export async function openClusterSettings(deps: ResourceDeps, fixed: FixedSettings = {}): Promise<OpenClusterSettings> {
  using opened = new DisposableStack()
  const listeners = new Set<() => void>()
  const changed = (): void => listeners.forEach((listener) => listener())
  const open = async <Fields extends Readonly<Record<string, unknown>>, Effective>(document: ClusterDocument<Fields, Effective>) =>
    opened.use(await openDocument(document, deps, fixed[document.kind] ?? {}, changed))
  const auth = await open(authPreferenceDocument)
  const networking = await open(networkingDocument)
  const recording = await open(sessionRecordingDocument)
  const all = { cluster_auth_preference: auth, cluster_networking_config: networking, session_recording_config: recording }
  const disposables = opened.move()
  return {
    get authPreference() {
      return auth.effective
    },
    get networking() {
      return networking.effective
    },
    get sessionRecording() {
      return recording.effective
    },
    documents: {
      read: (kind) => all[kind].read(),
      preview: (kind, spec, revision) => all[kind].preview(spec, revision),
      write: (kind, spec, revision) => all[kind].write(spec, revision),
    },
    subscribe(listener) {
      listeners.add(listener)
      return { [Symbol.dispose]: () => listeners.delete(listener) }
    },
    [Symbol.dispose]: () => disposables.dispose(),
  }
}

async function openDocument<Fields extends Readonly<Record<string, unknown>>, Effective>(
  { kind, name, spec: specSchema, complete, resolve }: ClusterDocument<Fields, Effective>,
  deps: ResourceDeps,
  fixed: Readonly<Record<string, { value: unknown; origin: string }>>,
  changed: () => void,
) {
  const store = createResourceStore<Partial<Fields>, Partial<Fields>>(
    {
      kind,
      versions: ['v2'],
      spec: () => specSchema as z.ZodType<Partial<Fields>, Partial<Fields>>,
      whyNotName: (given) => (given === name ? undefined : `the only ${kind} is called "${name}"`),
      existsText: () => `${kind} was changed by somebody else meanwhile; read it again and repeat the change`,
      missingText: () => `nothing is stored as ${kind}`,
    },
    deps,
  )
  const fixedSpec = specSchema.parse(Object.fromEntries(Object.entries(fixed).map(([field, { value }]) => [field, value])))
  const origins = Object.fromEntries(Object.entries(fixed).map(([field, { origin }]) => [field, origin]))

  const defaults: Readonly<Record<string, unknown>> = complete(fixedSpec)

  const stateOf = (stored: Partial<Fields>, revision: string): DocumentState & { fields: Fields } => {
    const fields = complete({ ...stored, ...fixedSpec })
    const sourceOf = (field: string): SettingSource => (field in fixed ? 'file' : field in stored ? 'dynamic' : 'default')
    const sources = Object.fromEntries(Object.keys(fields).map((field) => [field, sourceOf(field)]))
    return { fields, spec: fields, defaults, sources, origins, revision }
  }
  let state = stateOf({}, '')
  let effective = resolve(state.fields)

  async function refresh(): Promise<void> {
    const stored = await store.get(name)
    if ((stored?.metadata.revision ?? '') === state.revision) return
    state = stateOf(stored?.spec ?? {}, stored?.metadata.revision ?? '')
    effective = resolve(state.fields)
    changed()
  }
  /** One reading at a time, so that an old answer never replaces a newer one. */
  let reading = Promise.resolve()
  const load = (): Promise<void> => {
    const next = reading.then(refresh)
    // What cannot be read leaves the last settings in force; whoever wrote them is told.
    reading = next.catch(() => undefined)
    return next
  }
  await load()
  const watching = deps.feed.subscribe((change) => {
    if (change.kind === kind) load().catch(() => undefined)
  })

  const preview = (given: Readonly<Record<string, unknown>>, revision: string): DocumentChange & { stored: Partial<Fields> } => {
    const parsed = specSchema.safeParse(given)
    if (!parsed.success) throw badParameter(parsed.error.issues.map(issueText).join('; '), { cause: parsed.error })
    if (revision !== state.revision)
      throw compareFailed(`${kind} was changed by somebody else meanwhile; read it again and repeat the change`)
    const stored: Record<string, unknown> = {}
    for (const [field, value] of Object.entries(parsed.data)) {
      if (value === undefined) continue
      const known = fixed[field]
      if (!known) stored[field] = value
      else if (value !== state.spec[field])
        throw badParameter(`${field} is set by ${known.origin} and can only be changed there`, { fields: { field, origin: known.origin } })
    }
    const next = stateOf(stored as Partial<Fields>, state.revision)
    const changes = Object.keys(next.spec)
      .filter((field) => next.spec[field] !== state.spec[field])
      .map((field) => ({ field, from: state.spec[field], to: next.spec[field] }))
    return { spec: next.spec, changes, stored: stored as Partial<Fields> }
  }
  const read = (): DocumentState => ({ spec: state.spec, defaults, sources: state.sources, origins, revision: state.revision })

  return {
    get effective() {
      return effective
    },
    read,
    preview,
    async write(given: Readonly<Record<string, unknown>>, revision: string): Promise<DocumentState> {
      const { stored } = preview(given, revision)
      const input = { metadata: { name, revision }, spec: stored }
      await (revision === '' ? store.create(input) : store.update(input))
      await load()
      return read()
    },
    [Symbol.dispose]: () => watching[Symbol.dispose](),
  }
}

const issueText = (issue: z.core.$ZodIssue): string =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => `there is no setting "${key}"`).join('; ')
    : `${issue.path.map(String).join('.')}: ${issue.message}`
