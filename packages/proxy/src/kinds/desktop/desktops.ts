/** The desktops of the cluster: who they are, how they are reached, what they have to show, and what their accounts need. */
import type { X509Certificate } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { MasterKey } from '../../core/authorities/master-key.ts'
import { createConnectorStore } from '../../core/connectors/connector-store.ts'
import { createResourceStore } from '../../core/resources/resources.ts'
import { openServed } from '../../core/served/served.ts'
import type { Served, ServedDeps } from '../../core/served/served.ts'
import type { ChangeFeed } from '../../core/resources/change-feed.ts'
import type { Database } from '../../store/db.ts'
import { desktopKind, desktopSecrets } from './desktop.ts'
import type { Desktop, DesktopSpec, DesktopSpecInput } from './desktop.ts'
import { DesktopError } from './desktop-error.ts'
import type { Credentials } from './rdp/secure.ts'

export interface Desktops extends AsyncDisposable {
  readonly served: Served<Desktop, DesktopSpec, DesktopSpecInput>
  /** What a login signs in with. */
  credentialsOf(desktop: Desktop, login: string): Promise<Credentials>
  /** Throws DesktopError when the certificate is not the one that the desktop has to show. */
  checkCertificate(desktop: Desktop, certificate: Pick<X509Certificate, 'fingerprint256'>): Promise<void>
}

export type DesktopsDeps = Omit<ServedDeps<DesktopSpec, DesktopSpecInput>, 'store' | 'feed'> & {
  db: Kysely<Database>
  feed: ChangeFeed
  masterKey: MasterKey
}

export async function openDesktops({ masterKey, feed, ...deps }: DesktopsDeps): Promise<Desktops> {
  const { db, clock } = deps
  const store = createConnectorStore(desktopSecrets, createResourceStore(desktopKind.documents, { db, feed, clock }), masterKey)
  const served = await openServed(desktopKind, { ...deps, feed, store })
  return {
    served,
    async credentialsOf({ id, domain, via, revision }, login) {
      // What an agent announces has no passwords here, whatever document had the name before.
      const document = revision === '' ? undefined : await store.opened(id)
      const account = document?.spec.logins.find(({ name }) => name === login)
      const isSame = document?.spec.via === via
      return { user: login, domain: account?.domain ?? domain, password: isSame ? account?.password : undefined }
    },
    async checkCertificate(desktop, certificate) {
      const shown = certificate.fingerprint256.replaceAll(':', '').toLowerCase()
      const wanted = desktop.fingerprint ?? (await firstShown(db, desktop, shown))
      if (wanted === shown) return
      throw new DesktopError(
        'certificate',
        `Desktop ${desktop.id} shows another certificate than the one that is known (SHA-256 ${shown}). If it was renewed, an administrator saves the desktop again.`,
      )
    },
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  }
}

/** The fingerprint that a desktop showed when it was first connected to. */
async function firstShown(db: Kysely<Database>, { id: name, revision, uri, via }: Desktop, fingerprint: string): Promise<string> {
  const place = revision || `${via ?? ''} ${uri}`
  await db
    .insertInto('desktop_certificates')
    .values({ name, place, fingerprint })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ place, fingerprint }).where('desktop_certificates.place', '!=', place))
    .execute()
  const row = await db.selectFrom('desktop_certificates').select('fingerprint').where('name', '=', name).executeTakeFirstOrThrow()
  return row.fingerprint
}
