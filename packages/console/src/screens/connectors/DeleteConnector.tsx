import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { readDefault } from '@sallyport/wire/calls/connectors.ts'
import type { DefaultConnector } from '@sallyport/wire/entities/connector.ts'
import { request } from '../../api/page.ts'
import { ActionForm } from '../../parts/ActionForm.tsx'
import { useAction } from '../../parts/use-action.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { toasts } from '../../ui/toast.ts'
import { kindCalls } from './kinds.ts'
import type { Connector } from './use-connectors.ts'

export interface DeleteConnectorProps {
  connector: Connector
  others: readonly Connector[]
  fallback: DefaultConnector | undefined
  onClose: () => void
}

/** Says what people sign in with afterwards before a connector goes. */
export function DeleteConnector({ connector, others, fallback, onClose }: DeleteConnectorProps) {
  const { kind, item, isDefault } = connector
  const { name } = item
  const client = useQueryClient()
  const [typed, setTyped] = useState('')
  const removal = useAction(async () => {
    await request(kindCalls[kind].remove, { params: { name } })
    await Promise.all([
      client.invalidateQueries({ queryKey: [kindCalls[kind].list.id] }),
      client.invalidateQueries({ queryKey: [readDefault.id] }),
    ])
    toasts.show({ title: `Connector ${name} deleted` })
    onClose()
  })
  const left = others.filter((one) => one.item.id !== item.id).map((one) => one.item.name)
  const local = fallback?.localAuthEnabled ?? true
  const last = left.length === 0 && !local
  const next = local ? 'local sign-in' : left[0]
  return (
    <Dialog open bare alert width={484} busy={removal.busy} title={`Delete connector ${name}?`} onClose={onClose}>
      <ActionForm
        submit="Delete connector"
        danger
        disabled={last && typed !== name}
        action={removal}
        failure="Could not delete the connector."
        onSubmit={() => removal.start()}
        onClose={onClose}
      >
        {last ? (
          <Alert kind="danger" live={false} title="It is the only way to sign in.">
            Local sign-in is turned off. Without this connector nobody can sign in any more.
          </Alert>
        ) : (
          isDefault && (
            <Alert kind="warn" live={false} title="It is the default.">
              Afterwards sign-in begins with {next}.
            </Alert>
          )
        )}
        <p className="t2">
          Whoever signs in with it cannot do so any more
          {last ? '' : left.length > 0 || local ? `; ${[...(local ? ['local sign-in'] : []), ...left].join(', ')} stay.` : '.'}
        </p>
        {last && (
          <TextField
            label={`Type ${name} to confirm`}
            mono
            value={typed}
            autoComplete="off"
            onChange={(event) => setTyped(event.target.value)}
          />
        )}
      </ActionForm>
    </Dialog>
  )
}
