/** Password and devices of a user as part of an export: with them a restored cluster lets people in as before. */
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Database } from '../../store/db.ts'
import type { Devices } from './devices.ts'

const device = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('TOTP'),
    name: z.string().min(1).max(255),
    secret: z.string().min(16).max(128),
    step: z.int().default(0),
  }),
  z.strictObject({
    type: z.literal('WebAuthn'),
    name: z.string().min(1).max(255),
    credential_id: z.string().min(1).max(2048),
    public_key: z.string().min(1).max(4096),
    sign_count: z.int().min(0),
    resident: z.boolean(),
  }),
])
export const accountSecretsSchema = z.strictObject({
  /** argon2id in PHC form. */
  password_hash: z.string().startsWith('$argon2id$').max(512).nullish(),
  /** By which hardware keys know the user. */
  user_handle: z.string().min(1).max(64),
  devices: z.array(device).max(100).default([]),
})
export type AccountSecrets = z.output<typeof accountSecretsSchema>

export interface AccountSecretsStore {
  /** Undefined when the user never got a link. */
  read(user: string): Promise<AccountSecrets | undefined>
  /** Replaces what there is. */
  write(user: string, secrets: AccountSecrets): Promise<void>
}

export function createAccountSecrets(db: Kysely<Database>, devices: Devices): AccountSecretsStore {
  return {
    async read(user) {
      const credentials = await db.selectFrom('credentials').selectAll().where('user', '=', user).executeTakeFirst()
      if (!credentials) return undefined
      return {
        password_hash: credentials.password_hash,
        user_handle: credentials.user_handle,
        devices: (await devices.of(user)).map((row) =>
          row.type === 'TOTP'
            ? { type: row.type, name: row.name, secret: devices.secretOf(row), step: row.totp_step ?? 0 }
            : {
                type: row.type,
                name: row.name,
                credential_id: row.credential_id ?? '',
                public_key: row.public_key ?? '',
                sign_count: row.sign_count,
                resident: row.resident === 1,
              },
        ),
      }
    },
    async write(user, { password_hash = null, user_handle, devices: given }) {
      await db.transaction().execute(async (transaction) => {
        await transaction
          .insertInto('credentials')
          .values({ user, password_hash, user_handle })
          .onConflict((conflict) => conflict.column('user').doUpdateSet({ password_hash, user_handle }))
          .execute()
        await transaction.deleteFrom('mfa_devices').where('user', '=', user).execute()
        for (const one of given)
          await devices.add(
            transaction,
            user,
            one.type === 'TOTP'
              ? one
              : {
                  type: one.type,
                  name: one.name,
                  credentialId: one.credential_id,
                  publicKey: one.public_key,
                  signCount: one.sign_count,
                  resident: one.resident,
                },
          )
      })
    },
  }
}
